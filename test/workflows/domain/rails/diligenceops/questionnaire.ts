import type { DiligenceInput } from '#domain/rails/diligenceops/schema.ts'
import { dice, pick, shuffled } from '../dice.ts'

/** A control: how a questionnaire asks for it and how a policy states it, `$s` being the system and `$v` the value. */
type Control = { ask: string; state: string; values: string[] }

const control = (ask: string, state: string, ...values: string[]): Control => ({
  ask,
  state,
  values,
})
const controls: Control[] = [
  control(
    'How long are backups of the $s retained?',
    'Backups of the $s are retained for $v.',
    '35 days',
    '90 days',
    '6 months',
  ),
  control(
    'How often are encryption keys of the $s rotated?',
    'Encryption keys of the $s are rotated every $v.',
    '90 days',
    '12 months',
  ),
  control(
    'How quickly are critical vulnerabilities in the $s patched?',
    'Critical vulnerabilities in the $s are patched within $v.',
    '7 days',
    '14 days',
    '72 hours',
  ),
  control(
    'When did the last penetration test of the $s take place?',
    'The last penetration test of the $s took place on $v.',
    '8 May 2026',
    '2025-11-17',
    'March 3, 2026',
  ),
  control(
    'What is the recovery time objective of the $s?',
    'The recovery time objective of the $s is $v.',
    '4 hours',
    '8 hours',
    '24 hours',
  ),
  control(
    'What is the recovery point objective of the $s?',
    'The recovery point objective of the $s is $v.',
    '15 minutes',
    '1 hour',
  ),
  control(
    'After how much idle time do administrator sessions on the $s end?',
    'Administrator sessions on the $s end after $v of idle time.',
    '15 minutes',
    '30 minutes',
  ),
  control(
    'How many failed logins lock an account on the $s?',
    'An account on the $s is locked after $v.',
    '5 failed logins',
    '10 failed logins',
  ),
  control(
    'How long are audit logs of the $s kept?',
    'Audit logs of the $s are kept for $v in write-once storage.',
    '12 months',
    '24 months',
  ),
  control(
    'What availability does the $s promise per month?',
    'The $s promises a monthly availability of $v.',
    '99.9 %',
    '99.95 %',
  ),
  control(
    'How soon is access to the $s withdrawn when an employee leaves?',
    'When an employee leaves, access to the $s is withdrawn within $v.',
    '1 hour',
    '24 hours',
  ),
  control(
    'How often are access rights on the $s reviewed?',
    'Access rights on the $s are reviewed every $v by their owner.',
    '3 months',
    '6 months',
  ),
  control(
    'When was disaster recovery of the $s last exercised?',
    'Disaster recovery of the $s was last exercised on $v.',
    '2026-02-11',
    'October 20, 2025',
  ),
  control(
    'What is the liability cap for incidents of the $s?',
    'Liability for incidents of the $s is capped at $v.',
    '$2,000,000',
    'EUR 1.5 million',
  ),
  control(
    'How many engineers are on call for the $s?',
    'An on-call rota of $v covers the $s day and night.',
    '6 engineers',
    '9 engineers',
  ),
  control(
    'What share of the code of the $s is covered by automated tests?',
    'Automated tests cover $v of the code of the $s.',
    '82 %',
    '91 percent',
  ),
  control(
    'Within what time are customers told of a confirmed breach of the $s?',
    'Customers are told of a confirmed breach of the $s within $v.',
    '24 hours',
    '48 hours',
    '72 hours',
  ),
  control(
    'After what time is customer data erased from the $s once a contract ends?',
    'Once a contract ends, customer data is erased from the $s after $v.',
    '30 days',
    '60 days',
  ),
  control(
    'How often do staff working on the $s take security training?',
    'Staff working on the $s take security training every $v.',
    '12 months',
    '6 months',
  ),
]

const systems = [
  'billing platform',
  'payroll engine',
  'mobile wallet',
  'data warehouse',
  'identity gateway',
  'support desk',
  'document vault',
  'card issuer',
  'fraud scoring cluster',
  'partner portal',
  'messaging hub',
  'tax calculator',
  'search index',
  'video archive',
  'telemetry pipeline',
  'loyalty ledger',
  'booking calendar',
  'claims intake',
  'pricing oracle',
  'freight tracker',
  'clinic scheduler',
  'energy exchange',
  'press newsroom',
  'tenant directory',
  'image renderer',
]

/** Things that no text speaks of. */
const unheardOf = [
  'Do you operate drones over customer premises?',
  'Is source code held in escrow?',
  'Which kosher certification covers the canteen?',
  'Describe your asbestos survey.',
  'Do vessels carry lithium cargo?',
  'Are wolves, falcons or other animals used by guards?',
  'Is helium stored underground?',
  'Do you sponsor visas?',
  'Which unions represent warehouse pickers?',
  'Is rainwater harvested?',
  'Do you manufacture semiconductors?',
  'Which glaciers supply cooling water?',
  'Is livestock transported overnight?',
  'Do chaplains visit?',
  'Are fireworks imported?',
  'Do you breed orchids?',
  'Which opera houses are tenants?',
  'Is plutonium enriched?',
  'Do pilots undergo spirometry?',
  'Are tattoos permitted?',
  'Do you trade ivory?',
  'Is beekeeping insured?',
  'Which ferries are chartered?',
  'Do acrobats rehearse?',
  'Are marathons timed?',
]

const filler = [
  'This document is owned by the security team and reviewed by the leadership.',
  'Exceptions need a written approval and are recorded in the risk register.',
  'Everybody who joins the company reads this policy and confirms it.',
  'Suppliers follow the same rules as employees.',
  'Records of these activities are open to auditors on request.',
]

export type Questionnaire = {
  input: DiligenceInput
  /** Of each answerable question, the sentence that answers it and the text in which it stands. */
  answers: Map<string, { sentence: string; evidenceIds: string[] }>
  unanswerable: string[]
  /** Pairs of sentences that contradict each other, each pair sorted. */
  contradictions: string[][]
}

/** 475 questions about 19 controls of 25 systems, 25 that nothing answers, and 300 texts of which 25 contradict another. */
export function questionnaire(): Questionnaire {
  const roll = dice(500)
  const pairs = systems.flatMap((system) => controls.map((one) => ({ system, control: one })))
  const stated = pairs.map(({ system, control: { ask, state, values } }, index) => {
    const value = pick(values, roll)
    const say = (words: string) => state.replace('$s', () => system).replace('$v', () => words)
    const other = say(
      pick(
        values.filter((candidate) => candidate !== value),
        roll,
      ),
    )
    return {
      id: `Q-${String(index).padStart(3, '0')}`,
      question: ask.replace('$s', system),
      sentence: say(value),
      other,
    }
  })
  // One statement of each system, another control each time, is said otherwise in a later text.
  const contradicted = stated.filter((_, index) => index % 19 === Math.floor(index / 19) % 19)
  const texts = [
    ...chunks(shuffled(stated, roll), 275).map((part) => part.map(({ sentence }) => sentence)),
    ...contradicted.map(({ other }) => [other]),
  ]
  const evidence = texts.map((sentences, index) => {
    const id = `E-${String(index).padStart(3, '0')}`
    const paragraphs = sentences.map((sentence) => `${sentence} ${pick(filler, roll)}`)
    return {
      id,
      title: `Policy ${index}`,
      dated: `2026-0${1 + (index % 6)}-15`,
      text: paragraphs.join('\n\n'),
    }
  })
  const questions = [
    ...stated.map(({ id, question }, index) => ({ id, text: question, required: index % 3 === 0 })),
    ...unheardOf.map((text, index) => ({
      id: `X-${String(index).padStart(3, '0')}`,
      text,
      required: index % 5 === 0,
    })),
  ]
  return {
    input: { questions: shuffled(questions, roll), evidence },
    answers: new Map(
      stated.map(({ id, sentence, other }) => {
        const said = evidence.filter(({ text }) => text.includes(sentence) || text.includes(other))
        return [id, { sentence, evidenceIds: said.map((one) => one.id) }]
      }),
    ),
    unanswerable: unheardOf.map((_, index) => `X-${String(index).padStart(3, '0')}`),
    contradictions: contradicted.map(({ sentence, other }) => [sentence, other].sort()).sort(),
  }
}

function chunks<T>(items: T[], count: number): T[][] {
  return Array.from({ length: count }, (_, at) => items.filter((_, index) => index % count === at))
}
