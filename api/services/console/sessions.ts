import type { Kysely } from 'kysely'
import type { Config } from '../../../activities/config/config.ts'
import type { DerivedTokens } from '../../../activities/keys/derived-tokens.ts'
import {
  endSession,
  endSessionsOf,
  findSession,
  openSession,
  type SessionMacs,
} from '../../../activities/store/operators/operator-sessions.ts'
import type { Database } from '../../../activities/store/schema/schema.ts'
import {
  presentedSession,
  type SessionHeaders,
  sessionCookies,
} from '../../auth/operator-session.ts'

/** Decision: after it an operator signs in again, so that rights of an OpenID Connect issuer are read again. */
const LIFE_SECONDS = 8 * 3600

type Operator = { operatorId: string; name: string }

type SessionDeps = {
  db: Kysely<Database>
  config: Pick<Config, 'BASE_URL'>
  tokens: Pick<DerivedTokens, 'sessionMacs'>
}

/** Sessions of the operator console, each with the rights of its operator. */
export class SessionService {
  readonly #db: Kysely<Database>
  readonly #macs: SessionMacs
  readonly #secure: boolean

  constructor({ db, config, tokens }: SessionDeps) {
    this.#db = db
    this.#macs = tokens.sessionMacs
    this.#secure = config.BASE_URL.startsWith('https:')
  }

  /** Signs the operator in; the cookies are the session. */
  async open({ operatorId, name }: Operator) {
    const { secret, expiresAt } = await openSession(
      this.#db,
      { operatorId, name, seconds: LIFE_SECONDS },
      this.#macs,
    )
    return {
      session: viewOf({ operatorId, name }, expiresAt),
      cookies: sessionCookies(secret, LIFE_SECONDS, this.#secure),
    }
  }

  /** Who is signed in; the end is null for a caller that presents its credential with each call. */
  async read(operator: Operator, headers: SessionHeaders) {
    const secret = presentedSession(headers, this.#secure)
    const found = secret === undefined ? undefined : await findSession(this.#db, secret, this.#macs)
    return viewOf(operator, found?.expiresAt ?? null)
  }

  /** Ends the session of a call. Returns the cookies that make the browser forget it. */
  async end(headers: SessionHeaders): Promise<string[]> {
    const secret = presentedSession(headers, this.#secure)
    if (secret !== undefined) await endSession(this.#db, secret)
    return sessionCookies('', 0, this.#secure)
  }

  /** Ends all sessions of an operator. */
  async endAllOf(operatorId: string): Promise<void> {
    await endSessionsOf(this.#db, operatorId)
  }
}

const viewOf = ({ operatorId, name }: Operator, expiresAt: Date | null) => ({
  operator_id: operatorId,
  name,
  expires_at: expiresAt?.toISOString() ?? null,
})
