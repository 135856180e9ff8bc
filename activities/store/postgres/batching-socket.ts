import { Socket } from 'node:net'

/**
 * Sends all writes of one iteration of the event loop in one system call, which costs more than a statement. pg uses
 * this socket by its setting `stream`. It has no effect under TLS.
 */
export class BatchingSocket extends Socket {
  #held = false

  override write(
    chunk: Uint8Array | string,
    encoding?: BufferEncoding | ((error?: Error | null) => void),
    callback?: (error?: Error | null) => void,
  ): boolean {
    this.#hold()
    if (typeof encoding === 'string') return super.write(chunk, encoding, callback)
    return super.write(chunk, encoding ?? callback)
  }

  #hold(): void {
    if (this.#held) return
    this.#held = true
    this.cork()
    process.nextTick(() => {
      this.#held = false
      this.uncork()
    })
  }
}
