import type { Socket } from 'node:net'

/**
 * The frames between a process and the cage, one connection for one job: a letter, the length of the payload in four bytes, the
 * payload. The process sends the job and each piece that the cage wants; the cage answers once.
 */
export const frame = {
  job: 'J',
  piece: 'P',
  end: 'E',
  started: 'S',
  wants: 'W',
  spent: 'C',
  answer: 'A',
  refusal: 'R',
  failure: 'F',
} as const
export type FrameKind = (typeof frame)[keyof typeof frame]

const HEAD_BYTES = 5
/** An input with the texts of its files, or a result, is never longer. */
const PAYLOAD_BYTES_MAX = 96 * 1024 * 1024
const kinds = new Set<string>(Object.values(frame))

/** Resolves once the frame has left this process, so that a slow reader slows its writer. */
export function sendFrame(
  socket: Socket,
  kind: FrameKind,
  payload: Uint8Array | string = '',
): Promise<void> {
  const body = typeof payload === 'string' ? Buffer.from(payload) : payload
  const head = Buffer.alloc(HEAD_BYTES)
  head.write(kind, 0, 'latin1')
  head.writeUInt32BE(body.length, 1)
  return new Promise((resolve, reject) => {
    socket.write(head)
    socket.write(body, (error) => (error == null ? resolve() : reject(error)))
  })
}

/** Calls `take` with each frame of a socket, and ends a connection that sends anything else. */
export function readFrames(socket: Socket, take: (kind: FrameKind, payload: Buffer) => void): void {
  let held: Buffer[] = []
  let bytes = 0
  const join = (): Buffer => {
    const whole = held.length === 1 ? (held[0] as Buffer) : Buffer.concat(held, bytes)
    held = [whole]
    return whole
  }
  /** The kind and the size of the frame at the beginning, once its head is there. */
  const head = () => {
    if (bytes < HEAD_BYTES) return undefined
    const first = (held[0] as Buffer).length < HEAD_BYTES ? join() : (held[0] as Buffer)
    return { kind: first.toString('latin1', 0, 1), size: HEAD_BYTES + first.readUInt32BE(1) }
  }
  socket.on('data', (chunk: Buffer) => {
    held.push(chunk)
    bytes += chunk.length
    for (let next = head(); next !== undefined; next = head()) {
      const { kind, size } = next
      if (!kinds.has(kind) || size > HEAD_BYTES + PAYLOAD_BYTES_MAX) {
        socket.destroy()
        return
      }
      if (bytes < size) return
      const whole = join()
      held = bytes === size ? [] : [whole.subarray(size)]
      bytes -= size
      take(kind as FrameKind, whole.subarray(HEAD_BYTES, size))
    }
  })
}

/** The payload of a piece: the length of its list's name, the name, the bytes. */
export function pieceOf(list: string, bytes: Uint8Array): Buffer {
  const name = Buffer.from(list)
  const size = Buffer.alloc(2)
  size.writeUInt16BE(name.length)
  return Buffer.concat([size, name, bytes])
}

export function readPiece(payload: Buffer): { list: string; bytes: Buffer } {
  const end = 2 + payload.readUInt16BE(0)
  return { list: payload.toString('utf8', 2, end), bytes: payload.subarray(end) }
}
