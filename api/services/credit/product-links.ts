import { digestOf } from '#domain/core/canonical-json.ts'
import { refuse } from '#domain/core/errors.ts'
import { receiptId } from '#domain/core/ids.ts'
import { linkStateOf, soldCells } from '#domain/payments/product-link.ts'
import { rails } from '#domain/rails/index.ts'
import type { RailKey, Tier } from '#domain/rails/rail.ts'
import { type MoneyDeps, writeMoneyReceipt } from '../../../activities/credit/deps.ts'
import type { SendOutgoing } from '../../../activities/http/outgoing.ts'
import { receiptView } from '../../../activities/keys/receipt-view.ts'
import { assertGrant, lockCall } from '../../../activities/store/calls/calls.ts'
import { answerOnce } from '../../../activities/store/calls/once.ts'
import {
  checkedLink,
  findLink,
  findPageOf,
  type LinkRow,
  listLinks,
  putLink,
} from '../../../activities/store/credit/product-links.ts'
import type { ChallengeRow } from '../../../activities/store/payments/challenges.ts'
import { type Tx, transaction } from '../../../activities/store/postgres/db.ts'
import { listReceipts } from '../../../activities/store/receipts/receipts.ts'
import { challengeView } from './views.ts'

export type LinkDeps = MoneyDeps & { sendOutgoing: SendOutgoing }
type Only = { rail?: RailKey | undefined; tier?: Tier | undefined }
type LinkSet = {
  callId: string
  operator: { operatorId: string; name: string }
  rail: RailKey
  tier: Tier
  url: string | null
  provider_price_usd: number
}
type SoldCell = ReturnType<typeof soldCells>[number]

/** The hosted pages of a payment provider, one for each rail and tier that is sold. */
export class ProductLinkService {
  private readonly deps: LinkDeps

  constructor(deps: LinkDeps) {
    this.deps = deps
  }

  /** What can be bought: by a live page, or else by the checkout of this service. */
  async cards(only: Only) {
    return (await this.#withLinks(only)).map((sold) => this.#card(sold))
  }

  /** The card of one rail and tier with the state of its page; undefined for what is not sold. */
  async card(only: Required<Only>) {
    const [found] = await this.#withLinks(only)
    return found && { ...this.#card(found), page: linkStateOf(found.link, found.cell.total_usd) }
  }

  /** Every page with its state, with the numbers of live and of missing pages. */
  async cells(only: Only) {
    const cells = (await this.#withLinks(only)).map(({ cell, link }) => cellView(cell, link))
    const done = cells.filter(({ state }) => state === 'live').length
    return { cells, done, left: cells.length - done }
  }

  /** Stores the page first, then requests it once; 422 `amount_mismatch` unless its price is the quote's total. */
  async set(asked: LinkSet) {
    const { db, sendOutgoing } = this.deps
    const [cell] = sold(asked)
    if (cell === undefined)
      throw refuse('unsupported_request', {
        detail: `${asked.rail} is not sold`,
      })
    if (asked.provider_price_usd !== cell.total_usd)
      throw refuse('amount_mismatch', {
        detail: `a quote comes to ${cell.total_usd} usd`,
        next_action: 'Set that price at the provider first.',
      })
    const jws = await transaction(db, (tx) => storeLink(this.deps, tx, asked))
    const receipt = receiptId(jws)
    const reachable = asked.url !== null && (await isLive(sendOutgoing, asked.url))
    return answerOnce(
      this.deps,
      { callId: asked.callId, subject: receipt, status: 200 },
      async (tx) => {
        if (asked.url !== null) await checkedLink(tx, receipt, reachable ? 'live' : 'broken')
        const link = await findLink(tx, asked)
        const check = { reachable, price_matches: link?.provider_price_usd === cell.total_usd }
        return { cell: cellView(cell, link), check, receipt: receiptView(jws) }
      },
    )
  }

  #card({ cell, link }: { cell: SoldCell; link: LinkRow | undefined }) {
    const hosted = linkStateOf(link, cell.total_usd) === 'live' ? link?.url : undefined
    const { origin } = this.deps.authority
    return {
      ...cell,
      link_state: hosted == null ? ('rail_checkout' as const) : ('hosted' as const),
      url: hosted ?? `${origin}/api/agent-rail-checkout?rail=${cell.rail}&tier=${cell.tier}`,
    }
  }

  async #withLinks(only: Only) {
    const links = await listLinks(this.deps.db)
    const linkOf = (cell: SoldCell) =>
      links.find(({ rail, tier }) => rail === cell.rail && tier === cell.tier)
    return sold(only).map((cell) => ({ cell, link: linkOf(cell) }))
  }
}

const sold = ({ rail, tier }: Only) =>
  soldCells(rails).filter(
    (cell) => (rail ?? cell.rail) === cell.rail && (tier ?? cell.tier) === cell.tier,
  )

/** Stores the page with its receipt, once for its call; a repeat does not undo a later change. */
async function storeLink(deps: LinkDeps, tx: Tx, asked: LinkSet): Promise<string> {
  const { callId, operator, rail, tier, url, provider_price_usd } = asked
  const subject = `ctl_${digestOf({ call: callId })}`
  const [done] = await listReceipts(tx, subject)
  if (done !== undefined) return done.jws
  assertGrant(await lockCall(tx, callId), subject)
  const who = { operator_id: operator.operatorId, operator_name: operator.name }
  const receipt = {
    subject,
    kind: 'control_change' as const,
    facts: { rail, tier, url, provider_price_usd, ...who },
  }
  const jws = await writeMoneyReceipt(deps, tx, receipt)
  await putLink(tx, { rail, tier, url, provider_price_usd, receipt_id: receiptId(jws) })
  return jws
}

/** Whether the page answers as it is: a redirect is not followed, and is no page. */
async function isLive(send: SendOutgoing, url: string): Promise<boolean> {
  const answer = await send({ url, method: 'GET' })
  // A page that is too long to be read here still has a status.
  const { status = 0 } = answer
  return status >= 200 && status < 300
}

function cellView({ rail, tier, total_usd }: SoldCell, link: LinkRow | undefined) {
  const state = linkStateOf(link, total_usd)
  return {
    rail,
    tier,
    link: link?.url ?? null,
    checked_at: link?.checked_at?.toISOString() ?? null,
    state,
  }
}

/** The page for one challenge: the provider repeats the name in its event, so that the payment finds what it is for. */
export async function checkoutUrl(tx: Tx, challengeId: string): Promise<string | null> {
  const page = await findPageOf(tx, challengeId)
  if (page === undefined) return null
  const url = new URL(page)
  url.searchParams.set('client_reference_id', challengeId)
  return url.href
}

/** A challenge with the page on which it is paid, where there is one. */
export const challengeWithUrl = async (
  deps: Parameters<typeof challengeView>[0],
  tx: Tx,
  challenge: ChallengeRow,
) => ({
  ...challengeView(deps, challenge),
  checkout_url: await checkoutUrl(tx, challenge.challenge_id),
  mandate: null,
})
