import { setTimeout as sleep } from 'node:timers/promises'
import { SignerRefusal } from '../protocol.ts'
import { CK, CKR, ckrOf, initialize, type Pkcs11Library } from './pkcs11-library.ts'

/** A session of a user who is logged in; `keys` has the private keys that were found since then. */
export type Session = {
  readonly library: Pkcs11Library
  readonly handle: Buffer
  readonly keys: Map<string, Buffer>
}

/** A token of a module. A session that was lost is opened again. */
export type Token = {
  /** Runs in one of four sessions, which nothing else uses meanwhile; again where a session was lost. Throws `SignerRefusal` after three attempts. */
  use<T>(run: (session: Session) => Promise<T>): Promise<T>
}

const SESSIONS = 4
const ATTEMPTS = 3
const PAUSE_MS = 100
/** Callers wait five seconds for an answer. */
const WAITING_MAX = 4_000

/** What ends when a token is taken out, restarted, or closes its sessions. */
const lost: readonly unknown[] = [
  CKR.GENERAL_ERROR,
  CKR.FUNCTION_FAILED,
  CKR.DEVICE_ERROR,
  CKR.DEVICE_REMOVED,
  CKR.KEY_HANDLE_INVALID,
  CKR.OBJECT_HANDLE_INVALID,
  CKR.OPERATION_ACTIVE,
  CKR.OPERATION_NOT_INITIALIZED,
  CKR.SESSION_CLOSED,
  CKR.SESSION_HANDLE_INVALID,
  CKR.TOKEN_NOT_PRESENT,
  CKR.TOKEN_NOT_RECOGNIZED,
  CKR.USER_NOT_LOGGED_IN,
  CKR.CRYPTOKI_NOT_INITIALIZED,
]
const pinFaults: readonly unknown[] = [
  CKR.PIN_INCORRECT,
  CKR.PIN_INVALID,
  CKR.PIN_LEN_RANGE,
  CKR.PIN_EXPIRED,
  CKR.PIN_LOCKED,
]

type Login = { free: Buffer[]; keys: Map<string, Buffer> }
type Named = { label: string; pin: string }

export function openToken(library: Pkcs11Library, { label, pin }: Named): Token {
  let current: Login | undefined
  let refused: Error | undefined
  let running = 0
  let failed = false
  const inTurn = createTurns(SESSIONS)

  const login = (): Login => {
    if (refused !== undefined) throw refused
    // Some modules find a token that is back only when they are started again, which no call of another thread survives.
    if (failed && running === 0) restart(library)
    failed = true
    try {
      const opened = openSessions(library, { label, pin })
      failed = false
      return opened
    } catch (error) {
      if (!pinFaults.includes(ckrOf(error))) throw error
      // A token locks itself after a few wrong PINs, so none is tried twice.
      const detail = `the token ${label} refuses the PIN of PKCS11_PIN_FILE`
      refused = new Error(detail, { cause: error })
      throw refused
    }
  }

  const attempt = async <T>(run: (session: Session) => Promise<T>): Promise<T> => {
    current ??= login()
    const used = current
    const handle = used.free.pop()
    if (handle === undefined) throw new Error('more turns than sessions')
    running += 1
    try {
      return await run({ library, handle, keys: used.keys })
    } catch (error) {
      if (lost.includes(ckrOf(error)) && current === used) current = undefined
      throw error
    } finally {
      running -= 1
      used.free.push(handle)
      // Sessions that other turns use are theirs to close.
      if (current !== used) closeAll(library, used.free.splice(0))
    }
  }

  return { use: (run) => inTurn(() => repeated(label, () => attempt(run))) }
}

/** Runs it again where a session was lost, up to three times in all. */
async function repeated<T>(label: string, attempt: () => Promise<T>): Promise<T> {
  for (let count = 1; ; count += 1) {
    try {
      return await attempt()
    } catch (error) {
      if (!lost.includes(ckrOf(error))) throw error
      if (count === ATTEMPTS)
        throw Object.assign(
          new SignerRefusal('unavailable', `the token ${label} does not answer`),
          { cause: error },
        )
      await sleep(PAUSE_MS)
    }
  }
}

/** Opens the sessions and logs their user in; none stays open where that fails. */
function openSessions(library: Pkcs11Library, { label, pin }: Named): Login {
  const slot = slotOf(library, label)
  const free: Buffer[] = []
  try {
    while (free.length < SESSIONS)
      free.push(library.C_OpenSession(slot, CK.CKF_SERIAL_SESSION | CK.CKF_RW_SESSION))
    library.C_Login(free[0] as Buffer, CK.CKU_USER, pin)
  } catch (error) {
    if (ckrOf(error) !== CKR.USER_ALREADY_LOGGED_IN) {
      closeAll(library, free)
      throw error
    }
  }
  return { free, keys: new Map() }
}

function slotOf(library: Pkcs11Library, label: string): Buffer {
  const [slot, second] = library
    .C_GetSlotList(true)
    .filter((one) => library.C_GetTokenInfo(one).label.trim() === label)
  if (slot === undefined)
    throw Object.assign(new Error(`there is no token ${label}`), { code: CKR.TOKEN_NOT_PRESENT })
  if (second !== undefined) throw new Error(`two tokens have the label ${label}`)
  return slot
}

function restart(library: Pkcs11Library): void {
  try {
    library.C_Finalize()
  } catch (error) {
    if (!lost.includes(ckrOf(error))) throw error
  }
  initialize(library)
}

/** Closes sessions; one that was lost cannot be closed any more. */
function closeAll(library: Pkcs11Library, sessions: readonly Buffer[]): void {
  for (const session of sessions)
    try {
      library.C_CloseSession(session)
    } catch (error) {
      if (!lost.includes(ckrOf(error))) throw error
    }
}

/** Runs at most `count` at once; throws where too many wait already. */
function createTurns(count: number) {
  const waiting: (() => void)[] = []
  let running = 0
  return async <T>(run: () => Promise<T>): Promise<T> => {
    if (waiting.length >= WAITING_MAX)
      throw new SignerRefusal('unavailable', 'too many signatures wait for the token')
    if (running < count) running += 1
    else await new Promise<void>((resolve) => waiting.push(resolve))
    try {
      return await run()
    } finally {
      const next = waiting.shift()
      if (next === undefined) running -= 1
      else next()
    }
  }
}
