import { denialsIn, deniedBy, without } from '../text/denial.ts'
import type { Verdict } from './rules.ts'

/** What a sentence says of a control that holds, in each form of its verb. */
const held = [
  'enforced?|enabled?|implement(?:ed)?|perform(?:ed)?|test(?:ed|s)?|approved?|review(?:ed|s)?|completed?|encrypt(?:ed|s)?|remediated?',
  'sign(?:ed)?|conduct(?:ed)?|document(?:ed)?|operat(?:ed|ing)|operate (?:as|effective)|monitor(?:ed|s)?|patch(?:ed)?|rotated?|restored?',
  'configured?|verif(?:y|ied)|updated?|maintain(?:ed)?|follow(?:ed)?|carr(?:y|ied) out|back(?:ed)? up|protect(?:ed)?|train(?:ed)?',
  '(?:switched|turned) on|running|working|installed|renewed|delivered|(?:re)?certified|exercised|appl(?:y|ied)|logged|recorded|retained',
  'worked|works?|blocked|masked|collected|kept (?:up to date|current)|held|tak(?:e|en) place|in place|in use|compliant|effective(?:ly)?|met|adequate',
].join('|')
/** Of these it is so only where they are of accounts. */
const removed =
  '(?:accounts?|users?|access|leavers?|employees)\\b[^,;:]{0,40} (?:removed|revoked|deactivated|disabled)'
const verbs =
  "(?:is|are|was|were|be|been|being|has|have|had|do|does|did|gets?|got|\\w+n[’']t|cannot|(?:fail(?:s|ed)?|refus(?:e|es|ed)|neglect(?:s|ed)?|omit(?:s|ted)?|yet|unable|ceased?) to)"
const between =
  '(?:not|never|no longer|hardly|rarely|seldom|yet|also|and|neither|in \\w+|\\w+ly|ever|always|often)'
/** What should be kept nowhere. */
const secret = /\b(?:passwords?|secrets?|credentials?|card numbers?|pins?|tokens?)\b/i
/** What there should be none of. */
const trouble =
  'exceptions?|findings?|deviations?|incidents?|issues?|failures?|errors?|gaps?|vulnerabilit(?:y|ies)|breach(?:es)?|violations?|complaints?|malware|attacks?'
/** `has not yet been fully tested`, `fails to review`, `never tested`, `nobody reviewed`, `at no time was it tested`. */
const predicates = [
  `(?:at no \\w+|in no case|never|nor|rarely|seldom) ${verbs} (?:[^\\s,]+ ){1,5}?`,
  `${verbs}(?:,? (?:${verbs}|${between}))*,? `,
  'controls? |never |(?:nobody|no one|none)(?: of (?:\\w+ ){1,4}?\\w+)?(?: has| have)? (?=\\w*(?:ed|s)\\b)',
].join('|')
const predicate = new RegExp(
  `\\b(?:(?:${predicates})(?<held>${held})|${removed})\\b(?! (?:${trouble})\\b)`,
  'giu',
)
const protection =
  '(?:mfa|2fa|multi-?factor authentication|two-factor authentication|second factor|sso|encryption|backups?|logging|audit logs?|monitoring|antivirus|anti-malware|firewalls?|access reviews?|penetration tests?|restore tests?|(?:incident response|disaster recovery|recovery|continuity|business continuity) (?:plan|test)|security training|(?:\\w+ )?polic(?:y|ies))'
/** Each says that a control does not hold, unless it is denied. */
const statements: [RegExp, Verdict][] = [
  [
    new RegExp(
      `\\b(?:not|n[’']t) (?:\\w+ )?(?:require|use|have|support) (?:an? |the |any )?${protection}\\b`,
      'giu',
    ),
    'control_failing',
  ],
  [
    new RegExp(`\\b${protection} (?:is|are|was|were)(?: not|n[’']t) required\\b`, 'giu'),
    'control_failing',
  ],
  [
    /\b(?:is|are|was|were|remains?|remained|stored|sent|kept|left)(?: \w+ly| still)? (?:unencrypted|unpatched|unmonitored|untested|unreviewed|unapproved|non-?compliant)\b/gi,
    'control_failing',
  ],
  [
    /\b(?:stopped|discontinued|suspended) (?:test|review|encrypt|monitor|patch|rotat|approv|log|train|scann)ing\b/gi,
    'control_failing',
  ],
  [
    /(?<![\d.,])(?!0\b)(?:\d{1,3}(?:,\d{3})+|\d+) (?:[a-z-]+ )?critical(?: severity)?(?: [a-z]+)? (?:[a-z]+ )?(?:open|unresolved|outstanding|unremediated|unpatched|overdue)\b/gi,
    'critical_open',
  ],
  [
    /(?<![\d.,])(?!0\b)(?:\d{1,3}(?:,\d{3})+|\d+) (?:open|unresolved|outstanding|unremediated) critical\b/gi,
    'critical_open',
  ],
  [
    /(?<![\d.,])(?!0\b)(?:\d{1,3}(?:,\d{3})+|\d+) (?:control )?(?:exceptions?|deviations?|violations?) (?:were |was )?(?:noted|found|identified|observed)\b/gi,
    'exceptions_found',
  ],
  [
    /\b(?:control|controls) (?:did not operate|do not operate|failed|are ineffective|is ineffective|was ineffective|were ineffective)\b/gi,
    'control_failing',
  ],
  [/\b(?:a|an) (?:qualified|adverse) opinion\b/gi, 'control_failing'],
  [/\bwithout (?:an |any |the )?(?:approver|approval|authori[sz]ation)\b/gi, 'approval_missing'],
  [
    /\b(?:deployed|released|merged|shipped)(?: \w+){0,4} without (?:an? |any |the )?(?:prior )?review\b/gi,
    'approval_missing',
  ],
  [
    new RegExp(
      `\\b(?:(?:have|has|had|there (?:is|are|was|were)) (?:currently |still )?no|lack(?:s|ed)?) (?:(?:formal|documented|written|current|tested|working|valid) |an? |any )*${protection}\\b(?! (?:\\w+ )?(?:${trouble}))`,
      'giu',
    ),
    'control_failing',
  ],
  [
    new RegExp(
      `\\b${protection} (?:(?:is|are|was|were|has been|have been|remains?|remained) )(?:currently |still |temporarily )?(?:disabled|missing|absent|turned off|switched off|deactivated|bypassed|suspended|discontinued|stopped|ineffective|optional)\\b`,
      'giu',
    ),
    'control_failing',
  ],
]

// A clause that begins so says what has to be, or what of several things: it states nothing about the control.
const conditional =
  /\b(?:must|shall|may|should|can|could|will|would|that|which|who|whose|[Ii]f|[Uu]nless|[Uu]ntil|[Ww]hen|[Ww]here|[Ww]henever|[Aa]ny)\b/
const reported =
  /\b(?:found|noted?s?|conceded|acknowledged|disclosed|explained|confirm(?:ed|s)?|report(?:ed|s)?|state[ds]?|show(?:ed|s|n)?|conclude[ds]?|observe[ds]?|identified|indicate[ds]?|reveal(?:ed|s)?|determined|says?|said|admit(?:ted|s)?|learned|discovered|true|fact|(?:claims?|statement|assertion|suggestion|notion|idea|line)(?: (?:in|of|by|from)(?: \w+){1,3})?) that\b/gi
/** What precedes an `and` or an aside says nothing of what follows. */
const newClause = /;|, (?:and|but|so|yet|which|who)\b|\bbut\b/i
/** `Changes are not deployed until they are approved` is a rule. */
const onlyThen =
  /\b(?:until|unless|without|except|before (?:\w+ ){0,3}(?:approv|test|review|complet|train)\w*|by (?:its|their|his|her|the) (?:own|same))\b/i
/** What should not be enabled. */
const unwanted =
  /\b(?:public|guest|anonymous|root|telnet|ftp|legacy|default|shared|debug|insecure|weak|un(?:authori[sz]ed|approved|encrypted|patched|planned))\b/i
const noTrouble = new RegExp(
  `\\b(?:no|none|neither) (?:[^,;]* )?(?:${trouble}|further|additional|follow-ups?)\\b`,
  'i',
)

/** Judges a sentence of prose. */
export function verdictOnSentence(quote: string): Verdict | undefined {
  const sentence = quote.replace(/\s+/g, ' ')
  const denials = denialsIn(sentence)
  const isDeniedAt = deniedBy(denials)
  const free = without(sentence.replace(reported, blank), denials)
  const isRule = (at: number) => conditional.test(free.slice(0, at).split(newClause).at(-1) ?? '')
  for (const { index, groups = {}, 0: words } of sentence.matchAll(predicate)) {
    const to = index + words.length
    const part = { from: to - (groups['held']?.length ?? 0), to }
    const subject = sentence.slice(0, index).split(/[,;:]/).at(-1) ?? ''
    if (
      isDeniedAt(part) &&
      !isRule(index) &&
      !isGood(subject, groups['held'] ?? '') &&
      !onlyThen.test(sentence.slice(to))
    )
      return 'control_failing'
  }
  for (const [pattern, verdict] of statements)
    for (const { index, 0: words } of sentence.matchAll(pattern))
      if (!isRule(index) && !isDeniedAt({ from: index, to: index + words.length })) return verdict
  return undefined
}

/** Whether it is good news that this is not so of a subject. */
const isGood = (subject: string, said: string): boolean =>
  unwanted.test(subject) ||
  noTrouble.test(subject) ||
  (/^(?:logged|recorded|retained)$/i.test(said) && secret.test(subject))

const blank = (words: string) => ' '.repeat(words.length)
