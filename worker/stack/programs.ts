import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { packageRoot } from '../../activities/config/package-root.ts'
import { connectSigner } from '../../activities/signer/client.ts'
import { keysAnswer, walletsAnswer } from '../../activities/signer/protocol.ts'
import { isServed } from '../../activities/signer/serve.ts'
import { PAYOUTS_QUEUE, RUNS_QUEUE, STRANGERS_QUEUE } from '../../temporal/queues.ts'
import { Part } from './part.ts'
import { privateDirectory } from './private-directory.ts'
import { askPoller } from './temporal.ts'

const run = promisify(execFile)

/** What a program of ours is run with: its name among the parts, its log, and its whole environment. */
export type ProgramSettings = { name: string; logFile: string; env: NodeJS.ProcessEnv }

/** The signer; ready once all of its sockets answer. */
export function signerPart(
  settings: ProgramSettings,
  sockets: { signerSocket: string; workerSocket: string; walletsSocket: string },
): Part {
  return new Part({
    ...settings,
    prepare: async () => {
      const { signerSocket, workerSocket, walletsSocket } = sockets
      for (const path of [signerSocket, workerSocket, walletsSocket])
        privateDirectory(dirname(path))
    },
    launch: async () => ({
      file: process.execPath,
      args: [program('worker/signer/main.js')],
      env: settings.env,
    }),
    probe: async () => {
      for (const path of [sockets.signerSocket, sockets.workerSocket])
        await connectSigner(path).call('keys', {}, keysAnswer)
      await connectSigner(sockets.walletsSocket).call('wallets', {}, walletsAnswer)
    },
  })
}

/** The cage, which reads the bytes of callers; ready once its socket takes connections. */
export function cagePart(settings: ProgramSettings, socket: string): Part {
  return new Part({
    ...settings,
    prepare: async () => privateDirectory(dirname(socket)),
    launch: async () => ({
      file: process.execPath,
      args: [program('worker/cage/main.js')],
      env: settings.env,
    }),
    probe: async () => {
      if (!(await isServed(socket))) throw new Error('its socket takes no connections')
    },
  })
}

/** A worker process; ready once it polls for workflow tasks. */
export function workerPart(settings: ProgramSettings, temporalAddress: string): Part {
  return workerProgram(settings, (pid) => askPoller(temporalAddress, PAYOUTS_QUEUE, pid))
}

/** The worker process of the runs; ready once it polls for their steps. */
export function runWorkerPart(settings: ProgramSettings, temporalAddress: string): Part {
  const env = { ...settings.env, TASK_QUEUES: `${RUNS_QUEUE},${STRANGERS_QUEUE}` }
  return workerProgram({ ...settings, env }, (pid) =>
    askPoller(temporalAddress, RUNS_QUEUE, pid, 2),
  )
}

function workerProgram(settings: ProgramSettings, probe: (pid: number) => Promise<void>): Part {
  return new Part({
    ...settings,
    launch: async () => ({
      file: process.execPath,
      args: ['--max-semi-space-size=32', program('worker/main.js')],
      env: settings.env,
    }),
    probe,
  })
}

/** An API process; ready once /healthz answers on its own listener. */
export function apiPart(settings: ProgramSettings, url: string): Part {
  return new Part({
    ...settings,
    launch: async () => ({
      file: process.execPath,
      args: [program('api/server.js')],
      env: settings.env,
    }),
    probe: async () => {
      const { ok, status } = await fetch(`${url}/healthz`, { signal: AbortSignal.timeout(2_000) })
      if (!ok) throw new Error(`/healthz answered ${status}`)
    },
  })
}

/** Runs the migrations to their end. */
export async function migrate(env: NodeJS.ProcessEnv): Promise<void> {
  await run(process.execPath, [program('worker/migrate.js')], { env })
}

/** Makes an operator with the command that operators use, and answers the credential it prints. */
export async function createOperator(env: NodeJS.ProcessEnv, name: string): Promise<string> {
  const { stdout } = await run(
    process.execPath,
    [program('worker/cli.js'), 'operator', 'create', name],
    { env },
  )
  const credential = /\bop_[A-Za-z0-9]+_[A-Za-z0-9_-]+/.exec(stdout)?.[0]
  if (credential === undefined)
    throw new Error('`agent-rails operator create` printed no credential')
  return credential
}

function program(path: string): string {
  const file = join(packageRoot, 'dist', path)
  if (!existsSync(file)) throw new Error(`${file} is missing: run \`npm run build\` first`)
  return file
}
