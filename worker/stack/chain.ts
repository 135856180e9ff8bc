import { copyFile, open, readFile, rename, rm, stat } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join, resolve } from 'node:path'
import { CHAIN_ID } from '#domain/core/limits.ts'
import { createGuardedPort } from './guarded-port.ts'
import { Part } from './part.ts'
import { privateDirectory } from './private-directory.ts'

const WARN_BYTES = 50 * 1024 * 1024
const SNAPSHOT_EVERY_MS = 2_000

/** Where the chain keeps its state, on which port of `host` (127.0.0.1 by default) it answers, and seconds per empty block. */
export type ChainSettings = {
  directory: string
  port: number
  host?: string
  logFile: string
  blockSeconds?: number
  /** Whether only requests that name this machine reach it; it then listens on a port of its own behind `port`. */
  guarded?: boolean
  warn?: (text: string) => void
}

/** anvil, which is ready once it answers eth_chainId. */
export function chainPart(settings: ChainSettings): Part {
  const directory = resolve(settings.directory)
  const state = join(directory, 'state.json')
  const guarded = settings.guarded ? createGuardedPort(settings.port) : undefined
  let port = settings.port
  return new Part({
    name: 'chain',
    logFile: settings.logFile,
    prepare: () => prepare(directory, state, settings.warn),
    launch: async () => {
      if (guarded !== undefined) port = await guarded.open()
      return { file: anvilBinary(), args: anvilArguments({ ...settings, port }, state) }
    },
    probe: async () => {
      const chainId = await askChainId(port)
      if (chainId !== CHAIN_ID) throw new Error(`chain id ${chainId}`)
    },
    whileRunning: () => {
      const rest = keepSnapshots(state)
      const unguard = guarded?.guard()
      return () => {
        unguard?.()
        return rest()
      }
    },
  })
}

function anvilArguments(settings: ChainSettings, state: string): string[] {
  const network = [
    '--host',
    settings.host ?? '127.0.0.1',
    '--port',
    String(settings.port),
    '--chain-id',
    String(CHAIN_ID),
    '--accounts',
    '0',
  ]
  const blocks = [
    '--block-time',
    String(settings.blockSeconds ?? 1),
    '--mixed-mining',
    '--slots-in-an-epoch',
    '1',
  ]
  return [...network, ...blocks, '--state', state, '--state-interval', '1', '--quiet']
}

function anvilBinary(): string {
  const require = createRequire(
    createRequire(import.meta.url).resolve('@foundry-rs/anvil/package.json'),
  )
  const cpu = process.arch === 'x64' ? 'amd64' : process.arch
  const system = process.platform === 'win32' ? 'win32' : process.platform
  return require.resolve(
    `@foundry-rs/anvil-${system}-${cpu}/bin/anvil${system === 'win32' ? '.exe' : ''}`,
  )
}

async function askChainId(port: number): Promise<number> {
  const response = await fetch(`http://127.0.0.1:${port}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [] }),
    signal: AbortSignal.timeout(1_000),
  })
  const { result } = (await response.json()) as { result?: string }
  return Number(result)
}

/** anvil writes its state in place and refuses a torn file, so the last whole copy stands in for it; one that is empty was cut off too. */
async function prepare(
  directory: string,
  state: string,
  warn: ChainSettings['warn'],
): Promise<void> {
  privateDirectory(directory)
  const size = await stat(state).then(
    (file) => file.size,
    () => 0,
  )
  if (size > WARN_BYTES)
    warn?.(
      `the chain's state ${state} has ${Math.round(size / 1024 / 1024)} MB; delete DATA_DIR to start afresh`,
    )
  if (size > 0 && (await isWhole(state))) return
  const previous = snapshotOf(state)
  if (await isWhole(previous)) return await copyFile(previous, state)
  if (size > 0) warn?.(`the chain's state ${state} was torn and is started afresh`)
  await rm(state, { force: true })
}

function keepSnapshots(state: string): () => Promise<void> {
  let taken = Promise.resolve()
  const timer = setInterval(() => {
    taken = takeSnapshot(state).catch(() => undefined)
  }, SNAPSHOT_EVERY_MS)
  timer.unref()
  return () => {
    clearInterval(timer)
    return taken
  }
}

async function takeSnapshot(state: string): Promise<void> {
  const copy = `${state}.copy`
  const before = await stat(state)
  await copyFile(state, copy)
  const after = await stat(state)
  const untouched = before.size === after.size && before.mtimeMs === after.mtimeMs
  if (untouched && (await endsWithBrace(copy))) await rename(copy, snapshotOf(state))
}

async function endsWithBrace(path: string): Promise<boolean> {
  const file = await open(path)
  try {
    const { size } = await file.stat()
    const { buffer } = await file.read({ buffer: Buffer.alloc(1), position: Math.max(0, size - 1) })
    return size > 1 && buffer.toString() === '}'
  } finally {
    await file.close()
  }
}

async function isWhole(path: string): Promise<boolean> {
  try {
    JSON.parse(await readFile(path, 'utf8'))
    return true
  } catch {
    return false
  }
}

function snapshotOf(state: string): string {
  return join(dirname(state), 'state.previous.json')
}
