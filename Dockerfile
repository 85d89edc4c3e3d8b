# Debian 12 in both stages, so that the C library the program was built
# against is the one it runs with.
FROM golang:1.26-bookworm AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
ARG VERSION=dev
RUN go build -trimpath -tags sqlite_fts5 -ldflags "-s -w -X main.version=${VERSION}" -o /bot ./cmd/bot

FROM debian:bookworm-slim
RUN apt-get update \
	&& apt-get install -y --no-install-recommends ca-certificates tzdata \
	&& rm -rf /var/lib/apt/lists/* \
	&& useradd --system --uid 10001 --create-home --home-dir /var/lib/parley parley \
	&& install -d -m 0700 -o parley -g parley /var/lib/parley/data
COPY --from=build /bot /usr/local/bin/bot
USER parley
WORKDIR /var/lib/parley
VOLUME /var/lib/parley/data
# Longer than limits.shutdown_grace: docker stop --time 30.
STOPSIGNAL SIGTERM
ENTRYPOINT ["bot"]
