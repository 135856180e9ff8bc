// Puts this process's clock wrong by CHAOS_CLOCK_OFFSET_MS; imported before everything else.
const offset = Number(process.env['CHAOS_CLOCK_OFFSET_MS'] ?? '0')
const Right = Date

class Wrong extends Right {
  constructor(...args: [] | [number | string | Date]) {
    if (args.length === 0) super(Right.now() + offset)
    else super(...(args as [number]))
  }
  static override now(): number {
    return Right.now() + offset
  }
}

if (offset !== 0) globalThis.Date = Wrong as DateConstructor
