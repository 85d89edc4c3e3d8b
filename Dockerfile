# Two images from one recipe:
#   docker build -t parley .                        the bot
#   docker build -t parley:tools --target tools .   with Node.js and Python too, for tool servers that npx and uvx start
# Debian 12 in all stages, so that the C library the program was built against is
# the one it runs with.
FROM golang:1.26-bookworm AS build
WORKDIR /src
COPY go.mod go.sum ./
COPY deploy/stub deploy/stub
RUN go mod download
COPY . .
ARG VERSION=dev
ARG COMMIT=
ARG DATE=
RUN go build -trimpath -buildvcs=false -pgo=deploy/release/bot.pgo -tags sqlite_fts5 \
	-ldflags "-s -w -X main.version=${VERSION} -X main.commit=${COMMIT} -X main.date=${DATE}" -o /bot ./cmd/bot

FROM debian:bookworm-slim AS bot
RUN apt-get update \
	&& apt-get install -y --no-install-recommends ca-certificates tzdata \
	&& rm -rf /var/lib/apt/lists/* \
	&& useradd --system --uid 10001 --create-home --home-dir /var/lib/parley parley \
	&& install -d -m 0700 -o parley -g parley /var/lib/parley/data /var/lib/parley/.cache
COPY --from=build /bot /usr/local/bin/bot
USER parley
WORKDIR /var/lib/parley
VOLUME /var/lib/parley/data
# Health and the owner's page, inside the container only.
ENV BOT_HTTP_LISTEN=127.0.0.1:9090
HEALTHCHECK --interval=30s --timeout=15s --start-period=1m --retries=3 CMD ["bot", "health"]
# Longer than limits.shutdown_grace: docker stop --time 30.
STOPSIGNAL SIGTERM
ENTRYPOINT ["bot"]

FROM node:24-bookworm-slim AS node

FROM bot AS tools
USER root
COPY --from=node /usr/local/bin/node /usr/local/bin/node
COPY --from=node /usr/local/lib/node_modules /usr/local/lib/node_modules
RUN ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm \
	&& ln -s ../lib/node_modules/npm/bin/npx-cli.js /usr/local/bin/npx \
	&& apt-get update \
	&& apt-get install -y --no-install-recommends git python3 python3-pip python3-venv \
	&& pip install --no-cache-dir --break-system-packages uv==0.13.8 \
	&& rm -rf /var/lib/apt/lists/*
# All that servers download goes into one folder, which may be a volume.
ENV NPM_CONFIG_CACHE=/var/lib/parley/.cache/npm \
	NPM_CONFIG_UPDATE_NOTIFIER=false \
	UV_CACHE_DIR=/var/lib/parley/.cache/uv \
	UV_PYTHON_DOWNLOADS=never
USER parley

# What is built when nobody says which.
FROM bot
