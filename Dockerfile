# The bot, without root, with its games on a volume. Every package that is fetched is held against its hash.
#   docker build -t war-galley .
#   docker run -d --name war-galley -e DISCORD_TOKEN=… -v war-galley:/games war-galley

# python:3.12-slim (3.12.14 on Debian trixie, for all processors), the digest under which it was published in August 2026.
# Another one: docker build --build-arg PYTHON=python:3.12-slim@sha256:… (docker buildx imagetools inspect python:3.12-slim)
ARG PYTHON=python:3.12-slim@sha256:78387bc3881b8273120a12ebe6c1ab22b018ccc2c9adf565ae1ac9b536e184ea

FROM ${PYTHON} AS build
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1
WORKDIR /src
# The build tool stays in this stage; what the bot needs, with the driver of PostgreSQL and what checks signatures, goes into an environment of its own.
COPY requirements/build.txt requirements/interactions.txt requirements/
RUN python -m pip install --require-hashes -r requirements/build.txt
RUN python -m venv --without-pip /opt/war-galley \
    && python -m pip --python /opt/war-galley/bin/python install --require-hashes -r requirements/interactions.txt

COPY pyproject.toml README.md LICENSE NOTICE ./
COPY requirements/run.in requirements/run.in
COPY rules rules
COPY render render
COPY data data
COPY bot bot
RUN python -m pip wheel --no-deps --no-build-isolation --wheel-dir /wheels . \
    && python -m pip --python /opt/war-galley/bin/python install --no-deps --no-index /wheels/*.whl

FROM ${PYTHON}
ENV PATH=/opt/war-galley/bin:$PATH PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 \
    DATABASE_URL=sqlite+aiosqlite:////games/war-galley.sqlite HEALTH_FILE=/tmp/war-galley.health
RUN useradd --create-home --uid 1000 galley && install -d -o galley -g galley /games
COPY --from=build /opt/war-galley /opt/war-galley

USER galley
WORKDIR /games
VOLUME /games
# The bot touches the file once a minute while it reaches Discord.
HEALTHCHECK --interval=60s --timeout=5s --start-period=120s \
    CMD ["python", "-c", "import os, sys, time; sys.exit(time.time() - os.stat(os.environ['HEALTH_FILE']).st_mtime > 180)"]
STOPSIGNAL SIGTERM
CMD ["war-galley", "run"]
