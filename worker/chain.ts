import { join, resolve } from 'node:path'
import { chainPart } from './stack/chain.ts'
import { Supervisor } from './stack/supervisor.ts'

// The local chain as a program of its own: `node dist/worker/chain.js [directory] [port]`, on every address of its container.
const [directory = '.data/chain', port = '8545'] = process.argv.slice(2)
const supervisor = new Supervisor(console.log)
for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  process.on(signal, () => void supervisor.stop().then(() => process.exit(0)))
}
const logFile = join(resolve(directory), 'anvil.log')
await supervisor.start(
  chainPart({ directory, port: Number(port), host: '0.0.0.0', logFile, warn: console.log }),
)
