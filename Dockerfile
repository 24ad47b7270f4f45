FROM python:3.13-slim AS build
COPY .ci/requirements.lock /tmp/requirements.lock
RUN python -m venv --without-pip /opt/margin \
    && python -m pip --python /opt/margin/bin/python install --no-cache-dir \
        --require-hashes --only-binary :all: -r /tmp/requirements.lock

FROM python:3.13-slim
RUN groupadd --gid 10001 margin \
    && useradd --uid 10001 --gid margin --no-create-home --home-dir /tmp --shell /usr/sbin/nologin margin
COPY --from=build /opt/margin /opt/margin
WORKDIR /app
COPY app.py ./
COPY pages ./pages
COPY evalcore ./evalcore
COPY assets ./assets
COPY .streamlit/config.toml ./.streamlit/config.toml
# The root file system may be mounted read-only: the only folder that is ever written is /tmp.
ENV PATH="/opt/margin/bin:$PATH" \
    HOME=/tmp \
    PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1
USER 10001:10001
EXPOSE 8501
HEALTHCHECK --interval=30s --timeout=5s --start-period=20s --retries=3 \
    CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8501/_stcore/health', timeout=4)"]
CMD ["python", "-m", "streamlit", "run", "app.py", \
    "--server.address=0.0.0.0", "--server.port=8501", "--server.headless=true", \
    "--server.fileWatcherType=none"]
