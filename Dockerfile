# syntax=docker/dockerfile:1
# A static executable in an empty image.
#
#   docker build -t navstate .
#   docker run -p 127.0.0.1:8080:8080 -v navstate:/data navstate
#
# The first start makes a token, and logs the address of the console with it.

FROM swift:6.3-bookworm AS build
WORKDIR /src
# Build files stay in the cache mount, so that a change only compiles what depends on it.
COPY Package.swift openapi.yaml ./
COPY Sources Sources
# Embedded for the demo.
COPY Examples/apps Examples/apps
# The package declares test targets and does not resolve without their directories.
COPY Tests Tests
RUN --mount=type=cache,target=/src/.build,sharing=locked \
    swift build -c release --product navstate -Xswiftc -static-executable \
    && install -D -s .build/release/navstate /out/navstate \
    && install -d -m 0777 -o 65532 -g 65532 /out/data \
    && install -d -m 1777 /out/tmp \
    && /out/navstate version

FROM scratch
# /data is writable for any user id, because some platforms choose one. The store is a directory in
# it, because it has to belong to the user that serves it. The contents of a copied directory keep
# their mode with every builder; the directory itself and --chmod do not.
COPY --from=build /out/ /
USER 65532:65532
# Variables instead of arguments, so that the health check uses them too.
ENV NAVSTATE_LISTEN=0.0.0.0:8080 \
    NAVSTATE_DATA=/data/store \
    NAVSTATE_FIRST_TOKEN=make
VOLUME /data
EXPOSE 8080
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=5s --start-period=2s --retries=3 \
    CMD ["/navstate", "healthcheck"]
ENTRYPOINT ["/navstate"]
# At the end, so that another revision with the same executable reuses the layers.
ARG VERSION=0.2.0
ARG REVISION=
LABEL org.opencontainers.image.title="navstate" \
      org.opencontainers.image.description="An app's navigation state, kept on a server" \
      org.opencontainers.image.licenses="MIT" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}"
