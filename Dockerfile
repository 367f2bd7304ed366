# The bot, without root, with its games on a volume.
#   docker build -t war-galley .
#   docker run -d --name war-galley -e DISCORD_TOKEN=… -v war-galley:/games war-galley
FROM python:3.12-slim

ENV PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1 \
    DATABASE_URL=sqlite+aiosqlite:////games/war-galley.sqlite HEALTH_FILE=/tmp/war-galley.health

RUN useradd --create-home --uid 1000 galley && install -d -o galley -g galley /games
WORKDIR /app

# One layer of pinned dependencies, which stays while only our own code changes.
COPY requirements/run.txt requirements/run.txt
RUN python -m pip install --require-hashes -r requirements/run.txt

COPY pyproject.toml README.md LICENSE NOTICE ./
COPY requirements/run.in requirements/run.in
COPY rules rules
COPY render render
COPY data data
COPY bot bot
# The build tool that pip fetches for this one step never reaches the image's own packages.
RUN python -m pip install --no-deps .

USER galley
WORKDIR /games
VOLUME /games
# The bot touches the file once a minute while it reaches Discord.
HEALTHCHECK --interval=60s --timeout=5s --start-period=120s \
    CMD ["python", "-c", "import os, sys, time; sys.exit(time.time() - os.stat(os.environ['HEALTH_FILE']).st_mtime > 180)"]
STOPSIGNAL SIGTERM
CMD ["war-galley", "run"]
