# syntax=docker/dockerfile:1
# A static executable in an empty image.

FROM swift:6.3-bookworm AS build
WORKDIR /src
COPY Package.swift openapi.yaml ./
COPY Sources Sources
COPY Tests Tests
RUN --mount=type=cache,target=/src/.build \
    swift build -c release --product navstate -Xswiftc -static-executable \
    && install -D -s .build/release/navstate /out/navstate \
    && mkdir -p /out/data

FROM scratch
LABEL org.opencontainers.image.title="navstate" \
      org.opencontainers.image.description="An app's navigation state, kept on a server" \
      org.opencontainers.image.licenses="Apache-2.0"
COPY --from=build /out/navstate /navstate
COPY --from=build --chown=65532:65532 /out/data /data
USER 65532:65532
VOLUME /data
EXPOSE 8080
STOPSIGNAL SIGTERM
ENTRYPOINT ["/navstate"]
CMD ["serve", "--listen", "0.0.0.0:8080", "--data", "/data"]
