/** Words of a list as one group of a pattern. */
const oneOf = (...words: string[]): string => `(?:${words.join('|')})`

/** What is seldom wanted: to be without it denies nothing. */
const troubles = oneOf(
  'exceptions?|delays?|fail|doubts?|interruptions?|reservations?|objections?|incidents?|dissent',
  'difficult(?:y|ies)|errors?|disruptions?|complaints?|problems?|hesitation|limitations?|question',
)
/** `not only`, `no later than` and `without exception` deny nothing. */
export const harmless = new RegExp(
  `\\b${oneOf(
    'not (?:only|just|merely|solely|limited to|least|to mention|without|(?:later|more|less|fewer|earlier|longer)\\b)',
    'nicht (?:nur|bloß|allein|später|länger)',
    'no (?:doubts?|question|matter|wonder|exceptions?\\b(?=[.!]?$)|longer(?=[.!]?$))',
    'no (?:later|more|less|fewer|earlier|sooner|greater|longer) than|no (?:lack|shortage|dearth|want) of',
    `without (?:an? |any |undue |further |a single |\\w+ly )?${troubles}`,
    'whether or not|if not|no\\.? \\d+|second to none|none (?:other|the less)|no stone unturned|in no time',
    'not (?:un(?!til|der|i|less|to)|in(?:frequent|considerable|significant|sensitive|different))\\w+',
    '(?:could|can) ?not (?:be (?:happier|better|clearer|easier|more|denied|overstated|faulted)|fault|thank|wait)',
    'nothing to (?:be desired|hide|fear|add|complain)|go(?:es)? without saying|without (?:equal|precedent|parallel)',
    'nothing (?:short of|if not)|no (?:strings|less|end of|sooner)',
    '(?:wrong|false|incorrect|absurd) to (?:deny|dispute|doubt)',
    'nothing (?:else|further|more|but|less than)|(?:can ?not|could not) (?:help )?but',
    '(?:lack|absence) of (?:any )?(?:findings|exceptions|incidents|errors|complaints|objections)',
  )}`,
  'giu',
)
const saying =
  '(?:confirm|verify|verified|conclude|establish|prove|proven|demonstrate|claim|say|said|state|assert|show|shown|believe|think|agree|accept|find|suggest|support|determine)(?:ed|d)?'
/** What says of a thing how it is: `is`, `remains`; or what denies that it is so. */
const being =
  "(?:(?:is|are|was|were|be|been|being|remain(?:s|ed)?|stay(?:s|ed)?|stands?|stood|appears?|seems?|proved|became|becomes?|lies?|lay|went|goes|gone|came)(?: (?:now|still|since|also|all|both|\\w+ly))?|(?<=(?:\\b(?:not|never)|n[’']t)(?: yet)?)) "
/** A thing that is so is not there, not valid, not done or not enough. */
const wanting = oneOf(
  'absent|missing|lacking|wanting|void|null and void|invalid|defunct|obsolete|non-?existent',
  'inactive|inoperative|incomplete|insufficient|inadequate|inaccessible|unavailable|unpaid|unsettled',
  'unsigned|unresolved|unanswered|unfilled|unfinished|unfulfilled|unmet|unproven|unconfirmed',
  'unsubstantiated|unsupported|undocumented|unverified|unaccounted for|undelivered|uncertified',
  'overdue|past due|outstanding|pending|vacant|exhausted|deficient|in arrears|in breach|in default',
  'out of (?:date|service|order|stock|reach|action|compliance)|off the table|on hold|behind schedule',
  'far from (?!over)\\w+|too (?:late|few|little|small|weak|short|thin)|non-?compliant|short of|devoid of',
  'ineffective|inconclusive|inconsistent|inaccurate|ineligible|illegible|insolvent|bankrupt|dormant|blank|empty',
  'late|faulty|defective|flawed|broken|bad|poor|weak|in vain|at fault|out of (?:business|hand|control|line)',
  '(?:yet|still|left) to be \\w+',
  // Any other participle with `un-`, but for those that praise.
  'un(?!affected|altered|blemished|broken|challenged|changed|contested|damaged|disputed|encumbered|equalled|harmed|hindered|impeded|interrupted|locked|loaded|limited|matched|opposed|packed|paralleled|precedented|qualified|questioned|restricted|rivalled|scathed|veiled|tainted|bounded|der)\\w{2,}(?:ed|en|wn|id|able)',
)
/** What ends by itself; what it is said of stands before it, not behind. */
const ended = `${oneOf(
  'expired|lapsed|ran out|fell through|fell apart|collapsed|failed|broke down|stalled|came to nothing',
  'f[ae]lls? (?:short|behind)|fallen (?:short|behind)|c[oa]mes? short|runs? short|slipped|overran',
  'only (?:on paper|in (?:name|theory|draft|part)|part(?:ly|ially)|verbally|orally|informally)',
  'await(?:s|ed|ing)?(?= (?:\\w+ )?(?:approval|signature|review|confirmation|payment|delivery|sign-off))',
)}(?=[.,;:?!]|$| (?:of|in|on|at|by|for|before|after|since|during|last|this|when|while|without|because|and|twice|again|under|the|his|her|its)\\b)`
/** What befalls a request, a duty or a plan that comes to nothing. */
const refused = oneOf(
  'withdrawn|refused|rejected|declined|denied|dismissed|turned (?:down|away)|called off|abandoned',
  'missed|overlooked|omitted|skipped|ignored|neglected|forgotten|breached|postponed|deferred|shelved',
  'dropped|withheld|scrapped|frozen|halted|thrown out|struck (?:off|out)|set aside|overturned|lost|broken',
  'ruled out|vetoed|disallowed|disregarded|waived|left (?:open|blank|out|undone)',
)
/** What is granted, promised or kept up: to end it denies it. To end access or an account does not. */
const grants = `${oneOf(
  'licen[cs]e|permit|permission|certificat(?:e|ion)|accreditation|authori[sz]ation|approval|consent',
  'contract|agreement|policy|cover|coverage|insurance|registration|membership|mandate|subscription',
  'offer|order|project|guarantee|warranty|service|meeting|program(?:me)?|visit|deliver(?:y|ie)|audit',
  'review|payment|production|operation|monitoring|testing|backup|training|trading|suppl(?:y|ie)',
  'support|work|flight|loan|grant|licensing',
)}s?\\b`
const revoked = 'revoked|cancell?ed|terminated|suspended|rescinded|annulled|voided|discontinued'
const cancelled = `(?:${revoked})(?<=\\b${grants}[^,;:]{0,60})`
/** What someone does to a thing that is named after it. */
const refusing = oneOf(
  'rejected|refused|declined|denied|dismissed|turned down|withdrew|withdraws|miss(?:es|ed)?|breache[sd]',
  'overlooked|ignore[sd]|skipped|forfeited|vetoed|cancel?led|abandoned|dropped|waive[sd]|opposed|lost',
  'contradict(?:s|ed)?|undermine[sd]?|violate[sd]|forgot|left out|withheld|withhold|omit(?:s|ted)?|scrapped',
  '(?:pull(?:s|ed)|back(?:s|ed)|drop(?:s|ped)) out of|walk(?:s|ed) away from|reneged? on',
  '(?:deviate|depart)(?:s|d|ed)? from|(?:conflict|disagree)(?:s|d|ed) with|f[ae]lls? foul of|flunked',
)
const thing =
  '(?= (?:the|our|its|their|his|her|an?|all|both|every|each|most|two|three|several|any)\\b)'
/** `has revoked the operating licence` */
const revoking = `(?:${revoked}|withdrawn)(?= (?:the|our|its|their|his|her|an?|all|both) (?:\\w+ ){0,2}?${grants})`

/** A question that asks whether a thing is in such a state: “Has the certificate expired?” */
export const asksForState = new RegExp(
  `^(?:is|are|was|were|has|have|had)\\b[^,;?]{1,80} (?:${wanting}|${ended}|${refused}|${cancelled})(?= (?:in|on|at|by|for|from|since|within|during|before|after|under)\\b|\\s*\\??$)`,
  'iu',
)

/** Words that deny, by the part of their sentence that they reach. */
export const kinds = ['before', 'after', 'state', 'both', 'quantifier', 'adverb'] as const
export type Kind = (typeof kinds)[number]
export const words: Record<Kind, string[]> = {
  /** What is said after these, to the end of the sentence. */
  before: [
    '(?:false|untrue|incorrect|wrong|mistaken|a myth)(?: to (?:say|claim|state|assert|believe|assume))? that',
    '(?:false|untrue|unfounded|mistaken|wrong) (?:claim|statement|assertion|assumption|belief|impression) that',
    "(?:not|[a-z]*n[’']t|never|no longer) (?:yet |entirely |strictly )?(?:true|correct|accurate|right|the case|so|clear|certain|evident)(?: to (?:say|claim|state))? that",
    '(?:no|without|little|lack of|lacks) (?:[a-z]+ )?(?:evidence|proof|indication|sign|record|confirmation|assurance|documentation|reason to believe)(?: (?:that|of|for|to (?:show|suggest|confirm|support)(?: that)?))?',
    `(?:(?:could|can|would) )?(?:not|[a-z]*n[’']t|cannot|unable to|never|nor) (?:yet |be |been |have |\\w+ly )*(?:${saying}(?: us| yet)?,? (?:that|whether|if)|believe|think|say|claim|agree)`,
    '(?:den(?:y|ies|ied|ying)|disput(?:e|es|ed|ing)|refut(?:e|es|ed)|doubt(?:s|ed)?|disprov(?:e|es|ed)|reject(?:s|ed)?)(?: \\w+){0,3}? that',
    `(?:nothing|little to|nothing to) (?:suggests?|shows?|indicates?|confirms?|proves?|supports?)(?: that)?`,
    "(?:(?:could|can|would) )?(?:not|[a-z]*n[’']t|never|unable to) (?:produce|provide|present|locate|obtain|supply|offer|find) (?:\\w+ ){0,3}?(?:record|evidence|proof|document|report|log)s?(?: (?:showing|proving|confirming))?(?: that| of| for)?",
    'far from (?:it )?being (?:true|the case|certain) that|disagrees? that|disagreed that',
    '(?:misconception|myth|mistake|lie|doubtful|unlikely|questionable|unclear|uncertain|unproven|unknown)(?: to \\w+)? (?:that|whether|if)',
    'contrary to (?:\\w+ ){1,3}that',
    '(?:falsch|unwahr|unrichtig|nicht (?:wahr|richtig|der fall)|nicht zu),? dass',
    '(?:bestreitet|bestreiten|bestritt|bestritten|leugnet|verneint)(?: \\p{L}+){0,2},? dass',
    '(?:kein(?:e|en)?|ohne) (?:nachweis|beleg|hinweis)\\p{L}*(?: dafür)?,? dass',
  ],
  /** What stands before these in their clause. */
  after: [
    '(?:is|was|are|were|be|proved|turned out)(?: \\w+ly| to be)? (?:an? )?(?:false|untrue|incorrect|wrong|inaccurate|disputed|denied|unfounded)(?! (?:\\w+ ){0,3}that)',
    "(?:is|was|are|were)(?:n[’']t| not| no longer)(?: \\w+ly)? (?:true|correct|accurate|the case|so)(?! (?:\\w+ ){0,3}that)",
    `(?:is|was|are|were|could|can|has|have)(?:n[’']t| not)(?: be| been)?(?: \\w+ly)? ${saying}(?= by|[.,;]|$)`,
    '(?:but|only|though|although) not|aber nicht|(?<=[:=?] ?)(?:no|never)|(?<=[:=?–—-] ?)(?:false|untrue|wrong|not true)',
    'not at all|prohibited|forbidden|verboten|untersagt|falsch',
  ],
  /** The same; what denies these takes them back: `has not expired`, `never overdue`. */
  state: [
    `${being}${wanting}|remain(?:s|ed)? to be \\w+`,
    `(?:(?:was|were|been|got)(?: \\w+ly)?|(?<=\\b(?:not|never)|n[’']t)) (?:${refused}|${cancelled})`,
    ended,
  ],
  /** All of their clause; German puts them before and after what they deny. */
  both: [
    '(?:for|by|in|on|at) (?:no one|no|none|neither|nobody|nothing)|to (?:no one|none|nobody)|nowhere',
    'nicht|nie|niemals',
  ],
  /** What follows them in their clause: who or what there is none of. */
  quantifier: [
    'not (?:all|every|each|any|one|a single)|(?:hardly|barely|scarcely) any|no one|none|neither|nobody|nothing|niemand|nor(?= (?:is|are|was|were|has|have|had|do|does|did|can))',
    'scant|meagre|negligible|(?:next to|virtually|almost|practically) no',
    '(?<!\\b(?:a|the|these|those|last|next|first|past) )few(?= of| \\w+ (?:have|has|are|were|had))',
    'little(?= (?:or no|to no|progress|effort|attention|or nothing)\\b)',
    'no(?! longer)|kein(?:e|en|em|er|es)?|weder|ohne',
  ],
  /** What follows them in their clause, to the next verb at the most. */
  adverb: [
    "no longer|(?:has|have|had|is|are|was|were|remains?|remained) yet to|not|never|cannot|hardly|scarcely|barely|rarely|seldom|[a-z]+n[’']t",
    '(?:fail(?:s|ed|ing|ure|ures)?|refus(?:e|es|ed|al)|neglect(?:s|ed)?|omit(?:s|ted)?|unable|inability|ceased?|omission|declin(?:e|es|ed|ing)|forg[eo]ts?|forgotten|impossible|unwilling|reluctant|struggle[sd]?) to',
    '(?:ceas(?:e|es|ed)|stop(?:s|ped)?|discontinued|halted|abandoned|g[ai]ve up|quit|avoid(?:s|ed)?|suspended)(?= \\w+ing\\b)',
    '(?:stop(?:s|ped)? short|incapable|devoid|absence|r[au]ns? out) of|decided against|opted out of|dispense[sd]? with',
    '(?:(?:was|were|been) (?:prevented|kept)|(?:is|are|was|were|been) (?:barred|banned|excluded|precluded|disqualified)|refrain(?:s|ed)?) from',
    '(?:stripped|deprived|bereft) of|for want of',
    `${refusing}${thing}|${revoking}`,
    'without|lack(?:s|ed|ing)?(?: of)?|instead of|rather than|in lieu of',
  ],
}

/** A beginning of each of those words: most sentences have none, and need not be read further. */
export const maybe =
  /n[’']t\b|\b(?:no|n[iu]|n[ea]|un|in(?:c|s|a|v|o| ar| br| de)|far|fals|wrong|few|little|fail|fall|fell|refus|neglect|omi|hardly|barely|scarcely|rare|rather|seldom|ceas|cannot|without|lack|abs|aban|yet|m[iy]|lie|doubt|den|dis|question|refut|reject|contra|prohibit|forb|forf|forg|for want|verb|vern|vet|best|leug|kein|weder|ohne|expir|laps|ran|runs?|br|coll|stall|c[oa]mes? (?:short|to)|await|withd|turned|called|over|out|off|on hold|skip|ignor|postp|defe|shelv|drop|rul|struck|waiv|left|revok|cancel|termin|suspend|resc|annul|void|past due|pend|vacant|exhaust|beh|too|short|to be|still|obso|stop|halt|g[ai]ve|quit|avoid|decl|decided|opted|prev|barr|kept|prec|excl|refr|viol|oppo|lost|reluc|imp|strug|want|gr?on|gone|late|fault|def|flaw|bad|poor|weak|at fault|slip|only|with?h|scrap|froz|throw|set a|pull|back|walk|ren|devi|depart|diff|confl|flunk|scant|meag|next|virt|almost|pract|bann|strip|depr|bere|bank|ill|dorm|blank|empty|scra)/i
