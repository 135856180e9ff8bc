/** Words of 32 bits for each key: 96 bits of its id and 32 of what it says. */
const WORDS = 4
type Parts = readonly (string | number)[]
export type Seen = 'new' | 'repeated' | 'differs'

/**
 * Which rows came before: a hash table of 16 bytes a row, so that a million ids need no million texts. Two ids of a million are
 * taken for one with a probability of about 10⁻¹⁷.
 */
export function requestIds() {
  let slots = new Uint32Array(WORDS * 1024)
  let filled = 0
  const others = new Set<string>()
  const place = (table: Uint32Array, a: number, b: number, c: number): number => {
    const count = table.length / WORDS
    let slot = a & (count - 1)
    for (;;) {
      const at = slot * WORDS
      const [x, y, z] = [table[at], table[at + 1], table[at + 2]]
      if ((x === 0 && y === 0 && z === 0) || (x === a && y === b && z === c)) return at
      slot = (slot + 1) & (count - 1)
    }
  }
  const grow = () => {
    const larger = new Uint32Array(slots.length * 2)
    for (let at = 0; at < slots.length; at += WORDS) {
      const own = slots.subarray(at, at + WORDS)
      const [a = 0, b = 0, c = 0] = own
      if (a !== 0 || b !== 0 || c !== 0) larger.set(own, place(larger, a, b, c))
    }
    slots = larger
  }
  return {
    /** Notes an id with what its row says: `repeated` where a row said the same, `differs` where the id came with something else. */
    note(id: Parts, says: Parts): Seen {
      if (filled * WORDS * 4 > slots.length * 3) grow()
      const [a, b, c] = hashOf(id)
      const [what] = hashOf(says)
      const at = place(slots, a, b, c)
      if (slots[at] === 0 && slots[at + 1] === 0 && slots[at + 2] === 0) {
        slots.set([a, b, c, what], at)
        filled += 1
        return 'new'
      }
      if (slots[at + 3] === what) return 'repeated'
      const other = JSON.stringify([id, says])
      if (others.has(other)) return 'repeated'
      others.add(other)
      return 'differs'
    },
  }
}

/** The first 96 bits of the public-domain hash cyrb128 over texts and whole numbers, never all zero. */
function hashOf(parts: Parts): [number, number, number] {
  let [a, b, c, d] = [1_779_033_703, 3_144_134_277, 1_013_904_242, 2_773_480_762]
  for (const part of parts) {
    const units = typeof part === 'number' ? 1 : part.length
    // A number is its lower and its upper half, a text its characters and an end.
    for (let at = 0; at <= units; at++) {
      let unit = -1
      if (typeof part === 'number') unit = at === 0 ? part | 0 : part / 2 ** 32
      else if (at < units) unit = part.charCodeAt(at)
      a = b ^ Math.imul(a ^ unit, 597_399_067)
      b = c ^ Math.imul(b ^ unit, 2_869_860_233)
      c = d ^ Math.imul(c ^ unit, 951_274_213)
      d = a ^ Math.imul(d ^ unit, 2_716_044_179)
    }
  }
  a = Math.imul(c ^ (a >>> 18), 597_399_067)
  b = Math.imul(d ^ (b >>> 22), 2_869_860_233)
  c = Math.imul(a ^ (c >>> 17), 951_274_213)
  d = Math.imul(b ^ (d >>> 19), 2_716_044_179)
  a ^= b ^ c ^ d
  return [a >>> 0, (b ^ a) >>> 0, (c ^ a) >>> 0 || 1]
}
