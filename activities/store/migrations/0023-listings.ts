import {
  badgeEvents,
  badgeStates,
  badgeTransitions,
  listingReviewStates,
  listingTransitions,
} from '#domain/listings/listing.ts'
import { id, movesOtherwise, oneOf, refusal } from './columns.ts'
import { changesMoreThan, guard } from './guards.ts'

/** Listings of trusted agents, the events of the fees of their badges, and what of them everyone may see. */
export const listings: readonly string[] = [
  `create table trust_listings (
    ${id('trust_listing_id', 'tl')},
    agent_id text not null references agents,
    display_name text not null check (char_length(display_name) between 1 and 120),
    summary text not null check (char_length(summary) between 1 and 1000),
    rails text[] not null check (cardinality(rails) between 1 and 8),
    checks json not null,
    review_state text not null default 'waiting' ${oneOf('review_state', listingReviewStates)},
    review_decision_id text,
    reviewed_at timestamptz,
    trust_badge_state text not null default 'none' ${oneOf('trust_badge_state', badgeStates)},
    quote_id text references quotes,
    commercial_plan_id text check (commercial_plan_id ~ '^cpl_[0-9a-f]{64}$'),
    fee_event_id text,
    active_until timestamptz,
    listed_at timestamptz not null default clock_timestamp(),
    check ((review_state = 'waiting') = (review_decision_id is null)),
    check ((review_decision_id is null) = (reviewed_at is null)),
    check (trust_badge_state not in ('quoted','planned','active') or quote_id is not null),
    check (trust_badge_state not in ('planned','active') or commercial_plan_id is not null),
    check (trust_badge_state <> 'active' or (fee_event_id is not null and active_until is not null))
  )`,
  // An agent has one listing that is not rejected.
  `create unique index trust_listings_agent on trust_listings (agent_id) where review_state <> 'rejected'`,
  `create index trust_listings_of on trust_listings (agent_id, listed_at)`,
  `create index trust_listings_review on trust_listings (review_state, listed_at desc, trust_listing_id)`,
  `create table trust_badge_events (
    ${id('fee_event_id', 'fe')},
    trust_listing_id text not null references trust_listings,
    commercial_plan_id text not null,
    event text not null ${oneOf('event', badgeEvents)},
    payment_reference_id text not null references payment_references,
    actor text not null,
    receipt_id text not null unique references receipts,
    at timestamptz not null default clock_timestamp(),
    unique (commercial_plan_id, event, payment_reference_id)
  )`,
  // A fee is settled by a payment that is verified for the quote of its plan and whose credit the fee has used; it is refunded when
  // that payment is. Nothing else makes either true, also when operators record it.
  `create function trust_badge_events_guard() returns trigger language plpgsql as $$
  declare paid payment_references; used entitlements;
  begin
    ${refusal(`tg_op <> 'INSERT'`, 'a fee event stays as it was written')}
    select p.* into paid from payment_references p join payment_challenges c using (challenge_id)
      join trust_listings l on l.quote_id = c.quote_id and l.trust_listing_id = new.trust_listing_id
        and l.commercial_plan_id = new.commercial_plan_id and l.agent_id = p.agent_id
      where p.payment_reference_id = new.payment_reference_id;
    ${refusal('paid is null', 'the payment is not one of this plan')}
    select * into used from entitlements e where e.entitlement_id = paid.entitlement_id;
    ${refusal(
      `new.event = 'settled' and (paid.state <> 'verified' or used.consumed_units <> used.granted_units)`,
      'a fee is settled by a verified payment that it has used',
    )}
    ${refusal(`new.event = 'refunded' and paid.state <> 'refunded'`, 'the payment is not refunded')}
    return new;
  end $$`,
  `create trigger trust_badge_events_guard before insert or update or delete on trust_badge_events
    for each row execute function trust_badge_events_guard()`,
  ...guard('trust_listings', {
    deleted: 'a listing is never deleted',
    inserted: {
      'a listing begins waiting and without a badge': `new.review_state <> 'waiting' or new.trust_badge_state <> 'none'`,
    },
    updated: {
      'what a listing says never changes': changesMoreThan(
        'review_state, review_decision_id, reviewed_at, trust_badge_state, quote_id, commercial_plan_id, fee_event_id, active_until',
      ),
      'no such decision about a listing': movesOtherwise('review_state', listingTransitions),
      'no such move of a badge': movesOtherwise('trust_badge_state', badgeTransitions),
      'a badge is active by the event that settled its fee': `new.trust_badge_state = 'active' and not exists (select from trust_badge_events e where e.fee_event_id = new.fee_event_id
        and e.event = 'settled' and e.trust_listing_id = new.trust_listing_id and e.commercial_plan_id = new.commercial_plan_id)`,
    },
  }),
  // A badge shows as active while its time runs and its payment is still verified, whatever was recorded since.
  `create view trust_listings_shown as
    select l.trust_listing_id,
        case when l.trust_badge_state <> 'active' then l.trust_badge_state
          when p.state is distinct from 'verified' then 'none'
          when l.active_until <= statement_timestamp() then 'lapsed' else 'active' end as badge_now,
        l.review_state = 'approved' and a.trust_state = 'trusted' as is_public
      from trust_listings l join agents a using (agent_id)
        left join trust_badge_events e on e.fee_event_id = l.fee_event_id
        left join payment_references p on p.payment_reference_id = e.payment_reference_id`,
]
