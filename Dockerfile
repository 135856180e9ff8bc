# One image for migrate, setup, signer, api and worker: the command chooses the program. The stage `chain` is an image of its own.
ARG NODE_VERSION=26.10.0

FROM node:${NODE_VERSION}-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
COPY clients/typescript/package.json clients/typescript/package.json
RUN npm ci --no-audit --no-fund
COPY tsconfig.json tsconfig.build.json ./
COPY workflows workflows
COPY activities activities
COPY temporal temporal
COPY api api
COPY clients/typescript/src clients/typescript/src
COPY worker worker
# The token of the local chain is compiled here, so that the image needs no compiler.
RUN npm run build \
  && node -e "import('/app/dist/worker/stack/compile-token.js').then((m) => m.compileDollarToken('/app/dist/token'))"

FROM node:${NODE_VERSION}-bookworm-slim AS dependencies
WORKDIR /app
COPY package.json package-lock.json ./
COPY clients/typescript/package.json clients/typescript/package.json
# pkcs11js, for signers with keys in a PKCS#11 module, is compiled with the headers of this Node.
RUN apt-get update && apt-get install -y --no-install-recommends g++ make python3 \
  && npm_config_nodedir=/usr/local npm ci --omit=dev --no-audit --no-fund

# The local chain, for docker-compose only: anvil is not in the image of the API and the worker.
FROM build AS chain
RUN mkdir -p /var/lib/agent-rails/chain && chown -R node:node /var/lib/agent-rails
USER node
CMD ["node", "dist/worker/chain.js", "/var/lib/agent-rails/chain", "8545"]

FROM node:${NODE_VERSION}-bookworm-slim
ENV NODE_ENV=production
WORKDIR /app
# A new volume takes its owner from the folder of the image; Docker makes a folder that is missing here as root.
RUN mkdir -p /var/lib/agent-rails/api /var/lib/agent-rails/worker \
  /var/lib/agent-rails/signer /var/lib/agent-rails/setup \
  /run/agent-rails/keys /run/agent-rails/worker-keys /run/agent-rails/wallets /run/agent-rails/cage \
  && chown -R node:node /var/lib/agent-rails /run/agent-rails
COPY package.json ./
COPY docs/callback-receivers docs/callback-receivers
COPY examples examples
COPY worker/stack/dollar-token.sol worker/stack/dollar-token.sol
COPY --from=dependencies /app/node_modules node_modules
COPY --from=build /app/dist dist
USER node
EXPOSE 3000 3001
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s --retries=3 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:'+(process.env.BASE_PORT||3000)+'/healthz').then((r)=>process.exit(r.ok?0:1),()=>process.exit(1))"]
CMD ["node", "dist/api/server.js"]
