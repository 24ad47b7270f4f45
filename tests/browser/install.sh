#!/bin/sh
# Make sure that the browser tests find a Chromium. The one argument is the Python that has Playwright.
set -eu
python=$1

if [ -x /usr/bin/chromium ]; then
    exit 0
fi

if [ "$(id -u)" = 0 ] && grep -q '^ID=debian' /etc/os-release 2>/dev/null; then
    apt-get update
    DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends \
        chromium fonts-dejavu-core
elif [ "$(id -u)" = 0 ] && [ "$(uname)" = Linux ]; then
    "$python" -m playwright install --with-deps chromium
else
    "$python" -m playwright install chromium
fi
