import type { Kysely } from 'kysely'
import { addCheckpointText } from '#domain/log/add-checkpoint.ts'
import { parseNote, parseSignatureLine, verifyCosignature } from '#domain/log/checkpoint.ts'
import type { WitnessSetting } from '../config/log-settings.ts'
import type { SendOutgoing } from '../http/outgoing.ts'
import {
  type CheckpointRow,
  findCheckpoint,
  findCosignedSize,
  insertCosignature,
} from '../store/log/checkpoints.ts'
import type { Database } from '../store/schema/schema.ts'
import { createProver } from './proofs.ts'

export type PushDeps = {
  readonly db: Kysely<Database>
  readonly send: SendOutgoing
}
/** A witness that checkpoints are sent to. */
export type Reached = WitnessSetting & { url: string }
/** How a witness answered the latest checkpoint. */
export type Pushed = {
  readonly result: 'cosigned' | 'known' | 'refused' | 'no_answer'
  readonly detail: string
}

/** More lines than a witness has keys. */
const LINES_MAX = 16

/** One job for each witness with a URL, so that none waits for another; what changes is reported. */
export function pushJobs(
  deps: PushDeps,
  witnesses: readonly WitnessSetting[],
  report: (witness: string, pushed: Pushed) => void,
): Record<string, () => Promise<void>> {
  const jobs = witnesses.flatMap(({ key, url }) => {
    if (url === null) return []
    let before = ''
    const push = async () => {
      const pushed = await pushCheckpoint(deps, { key, url })
      if (pushed.result !== 'known' && pushed.result !== before) report(key.name, pushed)
      if (pushed.result !== 'known') before = pushed.result
    }
    return [[`pushCheckpoint ${key.name}`, push] as const]
  })
  return Object.fromEntries(jobs)
}

/**
 * Sends the latest checkpoint to a witness that has not cosigned it (C2SP tlog-witness). Only a cosignature of its configured key
 * is stored.
 */
export async function pushCheckpoint(deps: PushDeps, { key, url }: Reached): Promise<Pushed> {
  const said = (result: Pushed['result'], detail = ''): Pushed => {
    return { result, detail }
  }
  const [checkpoint, cosigned] = await Promise.all([
    findCheckpoint(deps.db),
    findCosignedSize(deps.db, key.name),
  ])
  if (checkpoint === undefined || cosigned >= checkpoint.size) return said('known')
  let answer = await ask(deps, { url, oldSize: cosigned }, checkpoint)
  const other = answer.ok && answer.status === 409 ? sizeIn(answer.body) : undefined
  // Another process, or a witness that follows the log itself, was ahead.
  if (other !== undefined && other <= checkpoint.size)
    answer = await ask(deps, { url, oldSize: other }, checkpoint)
  if (!answer.ok) return said('no_answer', answer.reason)
  if (answer.status !== 200) return said('refused', `status ${answer.status}`)
  const { text = '' } = parseNote(checkpoint.note) ?? {}
  const lines = answer.body.toString('utf8').trimEnd().split('\n', LINES_MAX)
  const own = lines.find((line) => {
    const signature = parseSignatureLine(line)
    return signature !== undefined && verifyCosignature(signature, text, key) !== undefined
  })
  if (own === undefined) return said('refused', 'no good cosignature of its key')
  await insertCosignature(deps.db, { size: checkpoint.size, witness: key.name, line: `${own}\n` })
  return said('cosigned')
}

async function ask(
  { db, send }: PushDeps,
  { url, oldSize }: { url: string; oldSize: number },
  { size, note }: CheckpointRow,
): ReturnType<SendOutgoing> {
  const proof =
    oldSize === 0 || oldSize === size ? [] : await createProver(db).consistency(oldSize, size)
  const body = addCheckpointText({ oldSize, proof, note })
  return send({
    url: `${url}/add-checkpoint`,
    method: 'POST',
    headers: { 'content-type': 'text/plain; charset=utf-8' },
    body,
  })
}

/** The size that a witness names, as the one line of its answer. */
function sizeIn(body: Buffer): number | undefined {
  const size = /^(?:0|[1-9]\d{0,15})\n$/.exec(body.toString('latin1'))?.[0]
  return size === undefined ? undefined : Number(size)
}
