/** The bytes that all buffers together may grow to, and that one may. */
export type InflateLimits = { readonly totalMax: number; readonly oneMax: number }

class TooManyBytes extends Error {}

/**
 * Does work of pdf.js, and ends it where its buffers grow too far. Every decoder of it (Flate, LZW, run lengths, ASCII, predictors, in
 * any chain) writes into a buffer that is copied into one of twice its size, or inflates by a `DecompressionStream`; both are counted.
 * That of Brotli collects `Int8Array`s and copies them at its end: what all of them hold is counted like one buffer.
 * pdf.js takes the error for a damaged stream and reads on, so the caller asks `exceeded`. Only for a process that does nothing else
 * meanwhile.
 */
export async function withBoundedInflating<Result>(
  { totalMax, oneMax }: InflateLimits,
  work: (exceeded: () => boolean) => Promise<Result>,
): Promise<Result> {
  const { prototype } = Object.getPrototypeOf(Uint8Array) as { prototype: Uint8Array }
  const { set } = prototype
  const { DecompressionStream: Inflating } = globalThis
  const { Int8Array: SignedBytes } = globalThis
  let [total, signed, isOver] = [0, 0, false]
  const count = (more: number, ofOne: number): void => {
    total += more
    if (ofOne > oneMax || total > totalMax) isOver = true
    if (isOver) throw new TooManyBytes('the buffers have grown too far')
  }
  prototype.set = function bounded(this: Uint8Array, from: ArrayLike<number>, offset?: number) {
    count(from.length, from.length)
    set.call(this, from, offset)
  }
  const BoundedBytes = new Proxy(SignedBytes, {
    construct: (target, given: [unknown], newTarget) => {
      const [length] = given
      if (typeof length === 'number') {
        signed += length
        count(length, signed)
      }
      return Reflect.construct(target, given, newTarget)
    },
  })
  class BoundedInflating {
    readonly readable
    readonly writable
    constructor(format: 'deflate') {
      const { readable, writable } = new Inflating(format)
      let own = 0
      const counted = new TransformStream<Uint8Array, Uint8Array>({
        transform: (chunk, controller) => {
          own += chunk.length
          count(chunk.length, own)
          controller.enqueue(chunk)
        },
      })
      this.readable = readable.pipeThrough(counted)
      this.writable = writable
    }
  }
  Object.assign(globalThis, { DecompressionStream: BoundedInflating, Int8Array: BoundedBytes })
  try {
    return await work(() => isOver)
  } finally {
    prototype.set = set
    Object.assign(globalThis, { DecompressionStream: Inflating, Int8Array: SignedBytes })
  }
}
