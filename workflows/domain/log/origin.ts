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
export function parseContinuation(text: string): Continuation | undefined {
  const form = /^(0|[1-9]\d{0,15})-([1-9]\d{0,15})-([0-9a-f]{64})$/
  const [, restored, witnessed, checkpoint = ''] = form.exec(text) ?? []
  const read = { restored: Number(restored), witnessed: Number(witnessed), checkpoint }
  return Number.isSafeInteger(read.witnessed) && read.restored < read.witnessed ? read : undefined
}

/** The name of a log: the public origin of its service without the scheme, the path of the log, and how it continues another one. */
export function logOrigin(baseUrl: string, continues = ''): string {
  const origin = `${baseUrl.replace(/^https?:\/\//, '')}/log`
  return continues === '' ? origin : `${origin}/${continues}`
}

/** How the log of this origin continues the one before it; nothing for a log from its first leaf. */
export const continuationOf = (origin: string): Continuation | undefined =>
  parseContinuation(origin.slice(origin.lastIndexOf('/') + 1))
