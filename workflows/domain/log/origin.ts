/**
 * How a log continues after its database was restored to an earlier point: the leaves from `restored` up to, without, `witnessed` are
 * lost, and the checkpoint with this digest, the last one that is known outside, had them.
 */
export type Continuation = {
  readonly restored: number
  readonly witnessed: number
  /** SHA-256 of the text of that checkpoint, in hex. */
  readonly checkpoint: string
}

/** The text form that an origin ends with: `<restored>-<witnessed>-<digest>`. */
export const continuationText = ({ restored, witnessed, checkpoint }: Continuation): string =>
  `${restored}-${witnessed}-${checkpoint}`

/** Reads the text form; nothing where it is not in its one form. */
function parseContinuation(text: string): Continuation | undefined {
  const form = /^(0|[1-9]\d{0,15})-([1-9]\d{0,15})-([0-9a-f]{64})$/
  const [, restored, witnessed, checkpoint = ''] = form.exec(text) ?? []
  const read = { restored: Number(restored), witnessed: Number(witnessed), checkpoint }
  return Number.isSafeInteger(read.witnessed) && read.restored < read.witnessed ? read : undefined
}

/** Whether a text names one continuation for each restore, the first one first, with `/` between them; or none. */
export const isContinuations = (text: string): boolean =>
  text === '' || text.split('/').every((one) => parseContinuation(one) !== undefined)

/** The name of a log: the public origin of its service without the scheme, the path of the log, and how it continued after each restore. */
export function logOrigin(baseUrl: string, continues = ''): string {
  const origin = `${baseUrl.replace(/^https?:\/\//, '')}/log`
  return continues === '' ? origin : `${origin}/${continues}`
}

/** The names that a log has had, the first one first; the last one is its own. */
export function logOrigins(baseUrl: string, continues: string): string[] {
  const names = continues === '' ? [] : continues.split('/')
  return Array.from({ length: names.length + 1 }, (_, restores) =>
    logOrigin(baseUrl, names.slice(0, restores).join('/')),
  )
}

/** How the log of this origin continued after each restore, the first one first; empty for a log from its first leaf. */
export function continuationsOf(origin: string): Continuation[] {
  const parts = origin.split('/').map(parseContinuation)
  return parts.slice(parts.lastIndexOf(undefined) + 1).flatMap((part) => part ?? [])
}

/** The restore that lost a leaf which the log had under an earlier name. */
export function lossOf(
  origin: string,
  leaf: { readonly origin: string; readonly index: number },
): Continuation | undefined {
  if (!origin.startsWith(`${leaf.origin}/`)) return undefined
  const later = continuationsOf(origin).slice(continuationsOf(leaf.origin).length)
  return later.find(({ restored, witnessed }) => leaf.index >= restored && leaf.index < witnessed)
}
