# Kabari as an image (docs/running/containers.md). Built from this folder: docker build -t kabari .
#
# BASE is any Debian 12 or newer; Node and PostgreSQL come from npm, as package-lock.json pins them.
ARG BASE=docker.io/library/debian:bookworm-slim

FROM ${BASE} AS build
RUN apt-get update \
    && apt-get install --yes --no-install-recommends ca-certificates curl libatomic1 openssl \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /opt/kabari
COPY package.json package-lock.json ./
COPY deploy/install-node.sh deploy/
# No package needs its install script.
RUN deploy/install-node.sh && npm ci --ignore-scripts --no-audit --no-fund
COPY . .
# What only builds and tests is not part of the image.
RUN npm run build && npm prune --omit=dev --ignore-scripts --no-audit --no-fund \
    && rm -rf node_modules/.cache

FROM ${BASE}
RUN apt-get update \
    && apt-get install --yes --no-install-recommends ca-certificates libatomic1 \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --system --uid 10001 --home-dir /var/lib/kabari --shell /usr/sbin/nologin kabari \
    && install -d -o kabari -g kabari -m 0700 /var/lib/kabari
WORKDIR /opt/kabari
COPY --from=build /opt/kabari .
USER kabari
# Everything that is written: the data folder, and /tmp.
ENV NODE_ENV=production \
    HOST=0.0.0.0 \
    KABARI_DATA=/var/lib/kabari \
    NODE_COMPILE_CACHE=/tmp/kabari-code \
    PATH=/opt/kabari/node_modules/.bin:/usr/local/bin:/usr/bin:/bin
VOLUME /var/lib/kabari
EXPOSE 3000 9464
# It finishes what is under way, 30 s at most: give it 45 before it is killed.
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s \
    CMD ["node", "tools/installation/alive.mjs"]
CMD ["node", "tools/ready.mjs", "run"]
