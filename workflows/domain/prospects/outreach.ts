import { sha256Hex } from '../core/canonical-json.ts'
import { priceOf } from '../credit/pricing.ts'
import type { PilotState } from '../pilots/pilot.ts'
import { type Rail, type Tier, tiers } from '../rails/rail.ts'
import type { ProspectState } from './prospect.ts'

export const purposes = [
  'introduction',
  'follow_up',
  'qualification',
  'pilot_offer',
  'reminder',
  'paid_next_step',
] as const
type Purpose = (typeof purposes)[number]

/** What is written to a prospect in its state; nothing to one that declined or has paid. */
const purposeIn: Readonly<Record<ProspectState, Purpose | undefined>> = {
  identified: 'introduction',
  messaged: 'follow_up',
  replied: 'qualification',
  qualified: 'pilot_offer',
  pilot_offered: 'reminder',
  paid_next_step_ready: 'paid_next_step',
  declined: undefined,
  converted_to_paid: undefined,
}

type TierPrice = { tier: Tier; total_usd: number }
/** The price of one run by tier, in whole usd; empty for a rail that is not sold. */
export const priceCardOf = (rail: Pick<Rail, 'key' | 'prices'>): TierPrice[] =>
  rail.prices === null
    ? []
    : tiers.map((tier) => ({ tier, total_usd: priceOf(rail, tier).total_usd }))

type Outreach = {
  rail: Rail
  sampleUrl: string
  /** The members that an input of the rail must have. */
  needs: readonly string[]
  /** Missing for a pack that is of no prospect. */
  prospect?:
    | {
        label: string
        state: ProspectState
        /** The state of the pilot that it was invited to last. */
        pilot: PilotState | undefined
        offer: (TierPrice & { quote_id: string }) | undefined
      }
    | undefined
}
type OutreachMessage = { purpose: Purpose; text: string; message_sha256: string }

/** The messages of a pack: of the state of its prospect, or one for each purpose. */
export function messagesFor({ prospect, ...about }: Outreach): OutreachMessage[] {
  const only = prospect === undefined ? purposes : [purposeOf(prospect)]
  return only.flatMap((purpose) => {
    const text = purpose && textOf(purpose, { ...about, prospect })
    return text === undefined
      ? []
      : [{ purpose, text, message_sha256: sha256Hex(text) } as OutreachMessage]
  })
}

/** An offer that was answered, or that ended, needs no reminder. */
function purposeOf({ state, pilot = 'invited' }: NonNullable<Outreach['prospect']>) {
  const purpose = purposeIn[state]
  return purpose === 'reminder' && pilot !== 'invited' ? undefined : purpose
}

function textOf(
  purpose: Purpose,
  { rail, sampleUrl, needs, prospect }: Outreach,
): string | undefined {
  const name = prospect === undefined ? 'Hello' : `Hello ${prospect.label}`
  const prices = priceCardOf(rail)
    .map(({ tier, total_usd }) => `${tier} ${total_usd} usd`)
    .join(', ')
  const sample = `A sample package that you can verify yourself: ${sampleUrl}`
  switch (purpose) {
    case 'introduction':
      return `${name}, ${rail.key}: ${rail.about.summary} ${sample}`
    case 'follow_up':
      return `${name}, we wrote to you about ${rail.key}. It can ${rail.about.capabilities[0] ?? 'be tried'}. ${sample}`
    case 'qualification':
      return `${name}, a run of ${rail.key} needs: ${needs.join(', ')}. Which of these do you have at hand?`
    case 'pilot_offer':
      return prices === ''
        ? undefined
        : `${name}, a pilot of ${rail.key} is one run, by tier: ${prices}.`
    case 'reminder':
      return prices === ''
        ? undefined
        : `${name}, our offer of a pilot of ${rail.key} stands: ${prices}.`
    case 'paid_next_step':
      return prospect?.offer === undefined
        ? undefined
        : `${name}, your next run of ${rail.key} (${prospect.offer.tier}) costs ${prospect.offer.total_usd} usd by quote ${prospect.offer.quote_id}.`
  }
}
