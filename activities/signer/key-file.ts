import { writeSecret } from '../config/secret-file.ts'
import { newKey } from '../keys/generate.ts'
import {
  keyRings,
  ofEachRing,
  type Ring,
  readKeysFile,
  type SignHeld,
  type SigningKeyEntry,
  type SigningKeysFile,
} from '../keys/key-ring.ts'
import { SignerRefusal } from './protocol.ts'

/** Older keys stay in the file as long as what they signed is judged by this process; a ring has no more than this. */
const KEYS_MAX = 100

type NextKey = { ring: Ring; rotationId: string }

/** Where the private halves of a file are: how a key is made that may not sign yet, and who signs with those outside the file. */
export type KeyPlace = {
  make(asked: NextKey, now: Date): Promise<SigningKeyEntry>
  readonly sign?: SignHeld
}

const inTheFile: KeyPlace = { make: async ({ ring }, now) => newKey(ring, now) }

/** What a rotation does to a file of signing keys. Each act may be repeated; it is on disk when it returns. */
export type KeyFile = {
  /** The key that was made for this rotation, or the one of its ring that waits to be active; a new one where there is none. */
  next(asked: NextKey, now: Date): Promise<SigningKeyEntry>
  /** Lets a key sign that is published; the key that was active may sign until it is retired. */
  activate(kid: string): void
  /** Ends a key that is not active; it signs nothing more. Does nothing for a key that the file does not have. */
  retire(kid: string): void
  /** Retires a key in any state. Where it is active, the newest `retiring` key of its ring takes its place; the only key that can sign stays. */
  drop(kid: string): void
}

/** The file of signing keys at this path; only one process at a time may write to it. */
export function openKeyFile(path: string, place: KeyPlace = inTheFile): KeyFile {
  const write = (file: SigningKeysFile) => {
    keyRings(file, place.sign)
    writeSecret(path, file)
  }
  const next = async ({ ring, rotationId }: NextKey, now: Date): Promise<SigningKeyEntry> => {
    const entries = readKeysFile(path).rings[ring]
    const made = entries.find(({ rotation_id }) => rotation_id === rotationId)
    if (made !== undefined) return made
    if (entries.length >= KEYS_MAX)
      throw new SignerRefusal(
        'refused',
        `the ring ${ring} has ${KEYS_MAX} keys; remove retired ones`,
      )
    const waiting = entries.find(({ state }) => state === 'published')
    const key = waiting ?? (await place.make({ ring, rotationId }, now))
    const added = { ...key, rotation_id: rotationId }
    // A key may have changed its state while the module made this one.
    const { rings } = readKeysFile(path)
    const others = rings[ring].filter(({ kid }) => kid !== added.kid)
    write({ rings: { ...rings, [ring]: [...others, added] } })
    return added
  }
  let last: Promise<unknown> = Promise.resolve()
  return {
    next: (asked, now) => {
      const mine = last.then(() => next(asked, now))
      last = mine.catch(() => undefined)
      return mine
    },
    activate: (kid) => {
      const file = readKeysFile(path)
      const named = findKey(file, kid)
      if (named === undefined)
        throw new SignerRefusal('refused', 'the signer holds no key of this kid')
      const { ring, entry } = named
      if (entry.state === 'active') return
      if (entry.state !== 'published')
        throw new SignerRefusal('refused', `the key ${kid} is ${entry.state}`)
      write(
        changed(file, ring, (one) => {
          if (one.kid === kid) return 'active'
          return one.state === 'active' ? 'retiring' : one.state
        }),
      )
    },
    retire: (kid) => {
      const file = readKeysFile(path)
      const named = findKey(file, kid)
      if (named === undefined || named.entry.state === 'retired') return
      const { ring, entry } = named
      if (entry.state === 'active')
        throw new SignerRefusal('refused', `the key ${kid} is active; no other has replaced it`)
      write(changed(file, ring, (one) => (one.kid === kid ? 'retired' : one.state)))
    },
    drop: (kid) => {
      const file = readKeysFile(path)
      const named = findKey(file, kid)
      if (named === undefined || named.entry.state === 'retired') return
      const { ring, entry } = named
      const heir =
        entry.state === 'active'
          ? file.rings[ring].findLast(({ state }) => state === 'retiring')
          : undefined
      if (entry.state === 'active' && heir === undefined) return
      write(
        changed(file, ring, (one) => {
          if (one.kid === kid) return 'retired'
          return one === heir ? 'active' : one.state
        }),
      )
    },
  }
}

function findKey({ rings }: SigningKeysFile, kid: string) {
  for (const [ring, entries] of Object.entries(rings)) {
    const entry = entries.find((one) => one.kid === kid)
    if (entry !== undefined) return { ring: ring as Ring, entry }
  }
  return undefined
}

const changed = (
  { rings }: SigningKeysFile,
  ring: Ring,
  stateOf: (entry: SigningKeyEntry) => SigningKeyEntry['state'],
): SigningKeysFile => ({
  rings: ofEachRing((each) =>
    each === ring ? rings[each].map((entry) => ({ ...entry, state: stateOf(entry) })) : rings[each],
  ),
})
