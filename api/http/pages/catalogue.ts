import { type Html, html } from '#domain/core/html.ts'
import { rails } from '#domain/rails/index.ts'
import { type Rail, tiers } from '#domain/rails/rail.ts'

/** How many rails there are, as the registry of rails counts them. */
export const railCount = rails.length

/** Every rail with what it does and what it costs, as the registry of rails declares them. */
export const catalogue = (): Html =>
  html`<dl class="rows">${rails.map(
    (rail) =>
      html`<div><dt><a href="/rails/${rail.key}">${rail.key}</a></dt><dd class="price">${priceOf(rail)}</dd><dd>${rail.about.summary}</dd></div>`,
  )}</dl>
<p class="rest">Whole USD, before the fee that a quote states. <a href="/api/agent-pricing">The price list</a> is what programs read.</p>`

/** What a rail costs in words: its tiers with their prices, free, or not sold. */
export function priceOf({ prices }: Pick<Rail, 'prices'>): string {
  if (prices === null) return 'not sold yet: to be tried out'
  const asked = tiers.filter((tier) => prices[tier] > 0)
  return asked.length === 0 ? 'free' : asked.map((tier) => `${tier} $${prices[tier]}`).join(' · ')
}

const promises = [
  ['One payment', 'A transfer’s nonce is derived from its payout, and the token accepts it once.'],
  [
    'A retry joins',
    'The same idempotency key joins the work in progress and is not charged again.',
  ],
  ['No false failure', 'Failed is said only when it is proven that no money moved.'],
  ['Proof without us', 'Receipts are signed and chained; published keys verify them offline.'],
  ['People decide', 'A decision names the digest of the evidence that was seen.'],
  ['Bounded amounts', 'Each payout and each day has a cap.'],
] as const

/** What the service promises; the reference of the project has what proves each. */
export const guarantees = (): Html =>
  html`<dl class="rows">${promises.map(
    ([name, what]) => html`<div><dt>${name}</dt><dd>${what}</dd></div>`,
  )}</dl>`
