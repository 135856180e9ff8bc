/** What a named value says about a control; undefined: nothing against it. */
export type Verdict = 'control_failing' | 'critical_open' | 'exceptions_found' | 'approval_missing'

const set = (words: string) => new Set(words.split(' '))

/** Where a key ends in one of these, `false` means that a control does not hold. */
const holds = set(
  'enforced enabled encrypted compliant passed effective approved signed tested reviewed completed implemented active rotated ' +
    'patched successful success configured monitored verified restored remediated met operating trained mfa sso encryption ' +
    'attested acknowledged logged audited retained',
)
/** Where a key ends in one of these, `true` means so. */
const fails = set(
  'disabled expired failed overdue breached exposed violated noncompliant ineffective unpatched',
)
/** What should not be enabled, allowed or active. */
const unwanted =
  /(?:^|_)(?:public|guest|anonymous|root|telnet|ftp|legacy|default|shared|debug|insecure|weak)(?:_|$)/
const permitted =
  /_(?:enabled|allowed|active|accessible|access|used|exposed|permitted|passwords?|accounts?)$/
/** `required` is a statement about a control only for these: `follow_up_required: no` is good news. */
const demanded =
  /(?:mfa|2fa|sso|factor|authentication|approval|review|encryption|password).*_required$/

/** Where a key ends in one of these, `0` is `false`. */
const switches = set(
  'enforced enabled encrypted compliant active configured implemented mfa sso encryption',
)
/** `41`, `1,204`, `1.204`, `12 of 400`, `3 (three)`. */
const counted = /^(?:\d{1,3}(?:[,.'’ \u00a0\u202f]\d{3})+|\d+(?:\.\d+)?)(?=$| (?:of|out of|\()|\/)/

/** Where a key ends in one of these, a number above zero counts what went wrong. */
const counters = set(
  'exceptions exception failures failed violations deviations overdue unpatched unapproved unencrypted unreviewed ' +
    'noncompliant nonconformities missing',
)
const countWords = /_(?:count|total|number|found|noted|identified|items)$/
const harmless =
  /(?:^|_)(?:max|maximum|limit|threshold|allowed|permitted|lockout|previous|prior|resolved|closed|approved|remediated|accepted)(?:_|$)/
const openCriticals =
  /(?:^|_)(?:(?:open|unresolved|outstanding)_criticals?|criticals?_(?:\w+_)?(?:open|unresolved|outstanding))(?:_|$)/

const concluding = set('status result outcome conclusion opinion state effectiveness rating passed')
const failing =
  /^(?:fail(?:ed|s|ing)?|not (?:effective|met|implemented|compliant|tested|performed|in place|operating|enforced|enabled)|ineffective|non-?compliant|deficien(?:t|cy)|material weakness|adverse(?: opinion)?|qualified(?: opinion)?|unsatisfactory)$/
const off = /^(?:disabled|off|none|not (?:enforced|enabled|configured|required))$/
const protection =
  /(?:^|_)(?:mfa|2fa|sso|encryption|logging|backups?|antivirus|firewall|monitoring|authentication)(?:_status|_state)?$/

const approver = /^(?:approver|approved_by|approval|signed_off_by|reviewer|reviewed_by)$/
const unnamed = /^(?:|-+|–|none|n\/?a|tbd|pending|missing|not approved|unapproved)$/

/** A longer name or value is prose. */
const [KEY_CHARS_MAX, VALUE_CHARS_MAX] = [80, 200]

/** Judges one value by the name that it has. */
export function verdictOn(key: string, value: string): Verdict | undefined {
  if (key.length > KEY_CHARS_MAX || value.length > VALUE_CHARS_MAX) return undefined
  const said = value
    .trim()
    .toLowerCase()
    .replace(/[.]$|^["']|["']$/g, '')
  const last = key.split('_').at(-1) ?? ''
  if (approver.test(key) && unnamed.test(said)) return 'approval_missing'
  if (/^(?:true|yes|y|on|ja)$/.test(said)) {
    const unwise = unwanted.test(key) && permitted.test(key)
    return unwise || (fails.has(last) && !unwanted.test(key)) ? 'control_failing' : undefined
  }
  if (/^(?:false|no|n|nein|never|no longer|not (?:yet|at all|any ?more))$/.test(said)) {
    const wanted = holds.has(last) || /_in_place$/.test(key) || demanded.test(key)
    return wanted && !unwanted.test(key) ? 'control_failing' : undefined
  }
  if (said === '0' && switches.has(last)) return 'control_failing'
  const [count] = counted.exec(said) ?? []
  if (count !== undefined) return /[1-9]/.test(count) ? countVerdict(key) : undefined
  if (protection.test(key) && off.test(said)) return 'control_failing'
  const concludes = concluding.has(last) || holds.has(last)
  return concludes && failing.test(said.replace(/_/g, ' ')) ? 'control_failing' : undefined
}

function countVerdict(key: string): Verdict | undefined {
  if (harmless.test(key)) return undefined
  if (openCriticals.test(key)) return 'critical_open'
  const noun = key.replace(countWords, '').split('_').at(-1) ?? ''
  return counters.has(noun) ? 'exceptions_found' : undefined
}

const graded = /(?:^|_)(?:severity|priority|criticality|risk_rating|rating)$/
const standing = /(?:^|_)(?:status|state|resolution)$/
const stillOpen =
  /^(?:open|unresolved|in progress|new|to ?do|overdue|outstanding|reopened|pending)$/

/** Judges a whole row: a critical finding that is still open. */
export function openCritical(cells: ReadonlyMap<string, string>): boolean {
  let critical = false
  let open = false
  for (const [key, value] of cells) {
    const said = value.toLowerCase().replace(/_/g, ' ')
    critical ||= graded.test(key) && said === 'critical'
    open ||= standing.test(key) && stillOpen.test(said)
  }
  return critical && open
}
