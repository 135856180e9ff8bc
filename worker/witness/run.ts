import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  NOTE_ED25519,
  type NoteKey,
  openByAny,
  parseVerifierKey,
  verifierKey,
} from '#domain/log/checkpoint.ts'
import { isSame } from '#domain/log/merkle.ts'
import { errorText } from '../error-text.ts'
import { writeDurable } from '../files/durable-file.ts'
import { type Output, print, printError, show } from '../print.ts'
import { lockInstance } from '../stack/instance-lock.ts'
import { type LogReader, openLogReader } from './log-reader.ts'
import { serveWitness } from './serve.ts'
import { type Answer, openWitness, type Witness } from './witness.ts'
import { keepWitnessKey } from './witness-key.ts'

/** What the command takes. */
export type WitnessOptions = Output & {
  directory: string
  logKey?: string
  name?: string
  listen: { host: string; port: number }
  every: number
  once?: true
}

/** Runs until it is stopped, or for one look; answers the exit code. */
export async function runWitness(url: string, options: WitnessOptions): Promise<number> {
  const { directory, name = `${hostname()}/agent-rails-witness` } = options
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  const unlock = lock(directory)
  try {
    const logKeys = keepLogKeys(join(directory, 'log.vkey'), options.logKey)
    const key = await keepWitnessKey(join(directory, 'witness-key.json'), name)
    const witness = openWitness({ directory, logKeys, key, now: Date.now })
    const log = openLogReader(url)
    const about = { witness_key: verifierKey(key.publicKey), log_keys: logKeys.map(verifierKey) }
    if (options.once !== true) return await followAndServe(witness, log, { options, about })
    const seen = await look(witness, log)
    show(options, { ...seen, ...about })
    return codes[seen.result]
  } finally {
    unlock()
  }
}

/** One process for one state: two of them could cosign two roots for one size. */
function lock(directory: string): () => void {
  try {
    return lockInstance(join(directory, 'lock'))
  } catch (error) {
    throw new Error(`another witness uses ${directory}`, { cause: error })
  }
}

type Said = { options: WitnessOptions; about: { witness_key: string; log_keys: string[] } }

/** Looks at the log again and again, and serves what it cosigned, until it is asked to stop. */
async function followAndServe(
  witness: Witness,
  log: ReturnType<typeof openLogReader>,
  { options, about }: Said,
): Promise<number> {
  const stopping = new AbortController()
  const stop = () => stopping.abort()
  process.once('SIGTERM', stop).once('SIGINT', stop)
  const server = await serveWitness(witness, {
    ...options.listen,
    report: (error) => printError(errorText(error)),
  })
  say(options, { result: 'listening', url: server.url, monitor: witness.monitorPath, ...about })
  let before = ''
  while (!stopping.signal.aborted) {
    const seen = await look(witness, log)
    // What stays the same is said once.
    if (JSON.stringify(seen) !== before) say(options, seen)
    before = JSON.stringify(seen)
    await sleep(options.every * 1000, undefined, { signal: stopping.signal }).catch(() => undefined)
  }
  await server.stop()
  return 0
}

type Seen = Look | { result: 'unreachable'; reason: string }

const look = (witness: Witness, log: ReturnType<typeof openLogReader>): Promise<Seen> =>
  follow(witness, log, Date.now()).catch((error: unknown) => ({
    result: 'unreachable',
    reason: errorText(error),
  }))

/** One line for each event, as `name=value` or as JSON. */
function say({ json }: Output, event: Record<string, unknown>): void {
  if (json === true) print(JSON.stringify(event))
  else
    print(
      Object.entries(event)
        .map(([name, value]) => `${name}=${value}`)
        .join(' '),
    )
}

const codes: Record<Seen['result'], number> = {
  cosigned: 0,
  unchanged: 0,
  refused: 1,
  behind: 2,
  unreachable: 2,
}

/** The keys that are kept, with the one that is given: a log that renews its key keeps its name. */
function keepLogKeys(file: string, given: string | undefined): NoteKey[] {
  const kept = existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : []
  const isNew = given !== undefined && !kept.includes(given)
  const texts = isNew ? [...kept, given] : kept
  if (texts.length === 0) throw new Error('--log-key is needed the first time')
  const keys = texts.map((text) => {
    const key = parseVerifierKey(text)
    if (key?.type !== NOTE_ED25519)
      throw new Error(`${text} is no Ed25519 verifier key, NAME+ID+KEY`)
    return key
  })
  if (new Set(keys.map(({ name }) => name)).size > 1)
    throw new Error(`${file} follows ${keys[0]?.name}: use another directory for another log`)
  if (isNew) writeDurable(file, `${texts.join('\n')}\n`)
  return keys
}

/** A checkpoint that does not change is cosigned again after this time, since a cosignature says when the log was seen. */
const AGAIN_AFTER_MS = 60_000

/** What one look at the log gave. */
export type Look =
  | { readonly result: 'cosigned' | 'unchanged'; readonly size: number }
  | { readonly result: 'behind'; readonly size: number; readonly cosigned: number }
  | { readonly result: 'refused'; readonly size: number; readonly reason: string }

/** Fetches the checkpoint of the log and cosigns it where it follows from the last one; throws where the log does not answer. */
export async function follow(witness: Witness, log: LogReader, now: number): Promise<Look> {
  const note = await log.checkpoint()
  const opened = openByAny(note, witness.logKeys)
  if (!opened.ok) throw new Error(`its checkpoint is refused: ${opened.fault}`)
  const { checkpoint: head } = opened
  const latest = witness.latest()
  if (latest !== undefined && head.size < latest.size)
    return { result: 'behind', size: head.size, cosigned: latest.size }
  const isKnown = latest?.size === head.size && isSame(latest.root, head.root)
  if (isKnown && now - latest.cosignedAt * 1000 < AGAIN_AFTER_MS)
    return { result: 'unchanged', size: head.size }
  const oldSize = latest?.size ?? 0
  const proof =
    oldSize === 0 || oldSize === head.size ? [] : await log.consistency(oldSize, head.size)
  return lookOf(witness.addCheckpoint({ oldSize, proof, note }), head.size)
}

function lookOf({ status, body }: Answer, size: number): Look {
  if (status === 200) return { result: 'cosigned', size }
  // The log pushed a newer checkpoint meanwhile.
  if (status === 409) return { result: 'unchanged', size: Number(body) }
  return { result: 'refused', size, reason: body.trim() }
}
