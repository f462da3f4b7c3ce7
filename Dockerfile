# One file for every platform and every base. The defaults are public images; any Debian-like pair will do: a
# builder with npm and a shell, and a base with glibc and libstdc++ (neither shell nor package manager is needed there).
#   docker buildx build --platform linux/amd64,linux/arm64 --tag s3-cloud-gateway .
ARG BUILDER=docker.io/library/node:24.21.0-bookworm-slim
ARG BASE=gcr.io/distroless/cc-debian12:nonroot
# A tag can be moved, a digest cannot. For a release: --build-arg BUILDER=...@sha256:... --build-arg BASE=...@sha256:... --build-arg PINNED=yes
ARG PINNED=no

# Runs on the machine that builds, whatever the image is for: packages are fetched for the other platform, not run.
# hadolint ignore=DL3029
FROM --platform=${BUILDPLATFORM} ${BUILDER} AS packages
ARG TARGETARCH
ARG BUILDER
ARG BASE
ARG PINNED
RUN for image in "${BUILDER}" "${BASE}"; do \
      case "${image}" in \
        *@sha256:????????????????????????????????????????????????????????????????) ;; \
        *) echo "not named by digest: ${image}" >&2; if [ "${PINNED}" = yes ]; then exit 1; fi ;; \
      esac; \
    done
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# The registry's settings and key, where it needs any: docker build --secret id=npmrc,src=$HOME/.npmrc
RUN --mount=type=secret,id=npmrc,target=/root/.npmrc \
    case "${TARGETARCH}" in amd64) cpu=x64 ;; *) cpu="${TARGETARCH}" ;; esac \
    && npm ci --omit=dev --ignore-scripts --no-audit --os=linux --libc=glibc --cpu="${cpu}"
# Node itself comes with the packages, pinned by the lock file. What no process reads stays behind: typings, source maps.
RUN mv node_modules/node-linux-*/bin/node /usr/local/bin/gateway-node \
    && rm -rf node_modules/node-linux-* node_modules/.bin \
    && find node_modules -type f \( -name '*.map' -o -name '*.d.ts' -o -name '*.d.mts' -o -name '*.d.cts' \) -delete

# For trying things out: Azurite too, Microsoft's emulator, with a folder for its data. The last stage has neither. Of
# the packages for development, npm installs none as long as they are called so.
FROM packages AS demo-packages
RUN --mount=type=secret,id=npmrc,target=/root/.npmrc \
    version="$(node --print 'require("./package.json").devDependencies.azurite')" \
    && npm pkg delete devDependencies \
    && npm install --no-save --ignore-scripts --no-audit "azurite@${version}" \
    && test -d node_modules/azurite \
    && mkdir /data

FROM ${BASE} AS demo
WORKDIR /app
COPY --from=packages /usr/local/bin/gateway-node /usr/local/bin/node
COPY --from=demo-packages /app/node_modules node_modules
COPY --from=demo-packages --chown=65532:65532 /data /data
COPY package.json LICENSE ./
COPY config config
COPY adapters adapters
COPY src src
ENV NODE_ENV=production \
    S3GW_CONFIG=/app/config/demo.yaml
USER 65532:65532
EXPOSE 9000 9001
HEALTHCHECK --interval=10s --timeout=5s --start-period=20s CMD ["/usr/local/bin/node", "src/healthcheck.mjs"]
ENTRYPOINT ["/usr/local/bin/node", "src/start.mjs"]

FROM ${BASE}
LABEL org.opencontainers.image.title="s3-cloud-gateway" \
      org.opencontainers.image.description="An S3 endpoint over Azure Blob Storage and Google Cloud Storage" \
      org.opencontainers.image.licenses="Apache-2.0"
WORKDIR /app
COPY --from=packages /usr/local/bin/gateway-node /usr/local/bin/node
COPY --from=packages /app/node_modules node_modules
COPY package.json LICENSE ./
COPY config config
COPY adapters adapters
COPY src src
ENV NODE_ENV=production \
    S3GW_CONFIG=/etc/s3-cloud-gateway/gateway.yaml
USER 65532:65532
EXPOSE 9000 9001
# Kubernetes asks the admin port itself; this is for everybody else.
HEALTHCHECK --interval=10s --timeout=5s --start-period=20s CMD ["/usr/local/bin/node", "src/healthcheck.mjs"]
ENTRYPOINT ["/usr/local/bin/node", "src/start.mjs"]
