/** What the rails owe: what they find in an input, and how. */
export const railRequirements = {
  'rails.registry': {
    source: 'runs § Rails',
    behavior: 'Each rail declares its key, prices and the lists that include it.',
  },
  'rails.sandbox-input': {
    source: 'runs § Rails',
    behavior:
      'Each rail has one fixed sandbox input that fits its input schema. Its result fits the result schema.',
  },
  'rails.faults': {
    source: 'runs § Inputs',
    behavior:
      'All faults of an input are grouped by kind, field and message, with counts, the first rows and what stands there.',
  },
  'rails.columns': {
    source: 'runs § Inputs',
    behavior:
      'Lists with `columns` are read by the caller’s names of columns: the work is the same, other columns are named in a finding, and a wrong name is a fault.',
  },
  'rails.money': {
    source: 'runs § Inputs',
    behavior:
      'An amount is given in whole or in minor units of its currency, one of the two; more decimals than the currency has are a fault.',
  },
  'rails.faults-before-money': {
    source: 'runs § Inputs',
    behavior:
      'A quote, preflight, start, order or recovery with an input that has faults is 422 with the grouped faults, and takes no money and begins nothing.',
  },
  'files.text': {
    source: 'runs § Files',
    behavior:
      'The text of a PDF, DOCX or text file is read once by a named extractor, with its digest and the places of its pages or paragraphs.',
  },
  'files.encodings': {
    source: 'runs § Files',
    behavior:
      'UTF-16 is read by its byte order mark, and Windows-1252 where the first character beyond ASCII is no UTF-8, wherever the bytes are cut; a finding says so, and other bytes are no text.',
  },
  'files.unmarked': {
    source: 'runs § Files',
    behavior:
      'UTF-16 without a byte order mark is read where the begin of a text has zero bytes in every second place alone, in three quarters of these, and is characters; a finding says so. A text of UTF-8 without NUL and a binary file are never taken for it.',
  },
  'files.sheets': {
    source: 'runs § Files',
    behavior:
      'A sheet of an XLSX file is a list as the same rows in CSV are: stored values only, dates by the date system of the file, faults with the cell.',
  },
  'files.images': {
    source: 'runs § Files',
    behavior: 'An image is kept by its digest as a claim, and is never read as text.',
  },
  'files.hostile': {
    source: 'runs § Files',
    behavior:
      'A damaged, encrypted, oversized or misleading file is a fault of the input; nothing in a file is run, followed or inflated beyond a limit.',
  },
  'files.used': {
    source: 'runs § Files',
    behavior:
      'packetops, diligenceops and contractops take files by digest in place of texts. The result names each file, its extractor and the digest of its text, and cites the page or paragraph.',
  },
  'files.replayed': {
    source: 'runs § Files',
    behavior:
      'A replay works on the stored text of each file, and refuses a text that is not the one that the result names.',
  },
  'rails.citations': {
    source: 'runs § Rail work',
    behavior:
      'Every citation of a result points into the input, and the quoted text is at that place.',
  },
  'rails.order': {
    source: 'runs § Rail work',
    behavior:
      'The same input gives the same bytes. The order of its lists changes only the places of citations.',
  },
  'rails.currency': {
    source: 'runs § Rail work',
    behavior: 'The same amounts in another currency give the same result in that currency.',
  },
  'rails.files': {
    source: 'runs § Rail work',
    behavior:
      'Documents that are split between paragraphs answer the same questions by the same sentences.',
  },
  'merkle.rfc6962': {
    source: 'runs § packetops',
    behavior: 'Merkle roots are those of RFC 6962, with leaf and node prefixes.',
  },
  'packetops.digests': {
    source: 'runs § packetops',
    behavior:
      'Digests and sizes are checked against the given content. A claimed digest alone is a gap.',
  },
  'packetops.age': {
    source: 'runs § packetops',
    behavior:
      'Expired and stale items are listed for the given date. Without a date, the age of an item is a gap.',
  },
  'packetops.sections': {
    source: 'runs § packetops',
    behavior:
      'Each required section of a profile or of the input is present, partial, unusable, failing or missing. Duplicates are found by digest.',
  },
  'packetops.content': {
    source: 'runs § packetops',
    behavior:
      'The text of each item is read: empty, unfinished, failing and contradicting evidence is scored as such, with the words.',
  },
  'packetops.responsibility': {
    source: 'runs § packetops',
    behavior:
      'Owner, approver and period are checked where a section asks for them; open days of the period are named.',
  },
  'packetops.samples': {
    source: 'runs § packetops',
    behavior: 'A sample is compared with its population by row and by size.',
  },
  'packetops.negation': {
    source: 'runs § packetops',
    behavior:
      'A sentence that denies that a control holds counts against it, whatever denies it: never, no longer, fails to, it is false that, denies that, no one; two denials take each other back, and each ends with its clause.',
  },
  'packetops.judge': {
    source: 'runs § packetops',
    behavior: 'Faults that an independent generator planted are found exactly.',
  },
  'packetops.merkle': {
    source: 'runs § packetops',
    behavior: 'A Merkle root seals the manifest in its own order.',
  },
  'packetops.readiness': {
    source: 'runs § packetops',
    behavior: 'The readiness score follows the rule that the result contains.',
  },
  'rails.fold': {
    source: 'runs § Rail work',
    behavior:
      'A list gives the same result when its rows are inline and when they are streamed one by one.',
  },
  'financeops.forms': {
    source: 'runs § financeops',
    behavior:
      'Statements of banks (CAMT, MT940 and MT942, OFX, BAI2) and invoices (UBL, CII) are read as they are exported, with signs and ids; totals and balances that differ are findings.',
  },
  'financeops.matches': {
    source: 'runs § financeops',
    behavior:
      'Payments match invoices by reference, amount within tolerance and sums of several. Short and over-payments are listed.',
  },
  'financeops.parties': {
    source: 'decision',
    behavior:
      'Names are one party but for case, accents, punctuation and legal forms, or by a given alias. A match shows the names that differ and why they are one party.',
  },
  'financeops.evidence': {
    source: 'decision',
    behavior:
      'A reference is evidence: one that amount and party contradict is reported and not followed. Each match states what speaks for it and how sure it is.',
  },
  'financeops.credits': {
    source: 'decision',
    behavior:
      'Credit notes lower the invoice that they state, else the one that amounts show, else the oldest. Refunds lower over-payments.',
  },
  'financeops.returns': {
    source: 'decision',
    behavior:
      'A payment that came back, by its reason code of SEPA or ACH or in words, leaves its invoice open and is an exception; a return that no payment fits, or several do, is one too.',
  },
  'financeops.terms': {
    source: 'decision',
    behavior:
      'An invoice that is paid in time less its discount is settled, and the discount is shown.',
  },
  'financeops.exchange': {
    source: 'decision',
    behavior:
      'Payments in another currency are converted by the given rate of their day. Without a rate they are an exception that names the invoice.',
  },
  'financeops.postings': {
    source: 'decision',
    behavior: 'Each match is exported as a journal entry whose debits and credits are equal.',
  },
  'financeops.exceptions': {
    source: 'runs § financeops',
    behavior:
      'Duplicates, conflicts and all other cases for a person have a code and name their rows.',
  },
  'financeops.ageing': {
    source: 'runs § financeops',
    behavior: 'Open amounts are aged by the days they are overdue on the given day.',
  },
  'financeops.totals': {
    source: 'runs § financeops',
    behavior:
      'Both sides balance in any order of rows: each received amount is set aside, allocated, tolerated or left over.',
  },
  'financeops.bounds': {
    source: 'runs § financeops',
    behavior:
      'The search for sums of several payments is bounded. Combinations that it did not try are a gap.',
  },
  'energyops.readings': {
    source: 'runs § energyops',
    behavior:
      'Missing, repeated, conflicting, negative and unusual intervals of a meter are listed with their rows.',
  },
  'energyops.clock-changes': {
    source: 'runs § energyops',
    behavior:
      'Days of 23 and 25 hours have their own intervals. Readings may be in UTC or in local time.',
  },
  'energyops.bill': {
    source: 'runs § energyops',
    behavior:
      'A bill is recomputed exactly, by band and day. It agrees, differs, or cannot be decided.',
  },
  'energyops.charges': {
    source: 'runs § energyops',
    behavior:
      'Bands by season, holiday and block, demand, standing charge, feed-in and taxes are billed exactly, and each has a check of its own.',
  },
  'energyops.lines': {
    source: 'runs § energyops',
    behavior:
      'Each billed line is recomputed, with the difference and its reason; charges without a line are named.',
  },
  'energyops.units': {
    source: 'runs § energyops',
    behavior: 'A bill is the same in Wh, kWh or MWh and in any currency.',
  },
  'energyops.range': {
    source: 'runs § energyops',
    behavior:
      'Where intervals lack a usable reading, the bill has a least, an estimate and a most, and the verdict is that of all three.',
  },
  'energyops.net': {
    source: 'runs § energyops',
    behavior:
      'Intervals below zero are fed in where the tariff pays for it, and else bound the bill.',
  },
  'energyops.rows': {
    source: 'runs § energyops',
    behavior:
      'Readings may state their unit, their length and whether their time is the start or the end.',
  },
  'energyops.forms': {
    source: 'runs § energyops',
    behavior:
      'ESPI, NEM12 and interval tables of utilities are read as they are; what is not clear is refused with its line.',
  },
  'energyops.urdb': {
    source: 'runs § energyops',
    behavior:
      'A rate of the OpenEI database is billed as it is, or refused by each member that cannot be expressed.',
  },
  'energyops.faults': {
    source: 'runs § energyops',
    behavior:
      'A tariff that contradicts itself is refused before money: overlapping seasons, blocks with gaps, unknown seasons and units.',
  },
  'contractops.clauses': {
    source: 'runs § contractops',
    behavior:
      'Liability caps, governing law, renewal and notice are found with their sentences. On clauses set aside before, precision is at least 0.95 and recall at least 0.9.',
  },
  'distributionops.shares': {
    source: 'runs § distributionops',
    behavior:
      'A pool is divided by weight within caps and minimum amounts, by largest remainder. Allocations and remainder sum exactly.',
  },
  'distributionops.refusals': {
    source: 'runs § distributionops',
    behavior:
      'Different rows of one id are not paid; equal rows count once. A pool below its fixed amounts and minimums pays no recipient.',
  },
  'distributionops.percentages': {
    source: 'runs § distributionops',
    behavior:
      'Percentages divide the pool where they sum to 100 within their decimal places; a sum that is off, or weights next to them, allocate nothing.',
  },
  'distributionops.carried': {
    source: 'runs § distributionops',
    behavior: 'A balance below zero gets nothing, takes nothing from others, and is carried.',
  },
  'distributionops.payments': {
    source: 'runs § distributionops',
    behavior:
      'Every allocation above zero is a payment, which says why the payout rail or the payment file does not have it.',
  },
  'distributionops.accounts': {
    source: 'runs § distributionops',
    behavior:
      'IBANs with wrong check digits, BICs of another form and a debtor without Latin letters are faults of the input.',
  },
  'distributionops.payout_calls': {
    source: 'runs § distributionops',
    behavior:
      'The package has one body of payout-create for each payment in USDC within the cap to an address that EIP-55 lets pass. Its key follows from run and recipient.',
  },
  'distributionops.pain001': {
    source: 'runs § distributionops',
    behavior:
      'The payment file fits the schema of pain.001.001.09, has exact amounts, their number and sum, and the Latin characters of SEPA alone.',
  },
  'distributionops.ach': {
    source: 'runs § distributionops',
    behavior:
      'A pool in USD is paid by a NACHA file of credits to accounts with right routing numbers; each payment outside of it says why.',
  },
  'distributionops.amounts': {
    source: 'runs § distributionops',
    behavior:
      'Amounts of recipients and of the pool are given in minor or in whole units; one that is given twice, in another currency or too fine is refused.',
  },
  'distributionops.forms': {
    source: 'runs § distributionops',
    behavior:
      "NACHA files, Safe's airdrop CSV and payment files of PayPal are read as recipients, each line a payment; a finding says which totals a file does not come to.",
  },
  'distributionops.scripts': {
    source: 'runs § distributionops',
    behavior:
      'Greek and Cyrillic names are written in Latin letters by a published standard, and stay in the result as they were given.',
  },
  'distributionops.judge': {
    source: 'runs § distributionops',
    behavior: 'Payments and refusals are those that an independent generator planted.',
  },
  'diligenceops.answers': {
    source: 'runs § diligenceops',
    behavior:
      'Each question gets the sentences that cover min_score of its terms, synonyms included, with their document and offsets.',
  },
  'diligenceops.verdicts': {
    source: 'runs § diligenceops',
    behavior: 'A question of yes or no gets yes, no or partial, with the words that decide it.',
  },
  'diligenceops.calibration': {
    source: 'runs § diligenceops',
    behavior:
      'On a frozen half of published pairs, at least 70 % of the answerable questions are answered, at most 1 % of answers are wrong and the rest is refused.',
  },
  'diligenceops.coverage': {
    source: 'runs § diligenceops',
    behavior: 'Questions without an answer are listed and counted, required ones separately.',
  },
  'diligenceops.conflicts': {
    source: 'runs § diligenceops',
    behavior:
      'Sentences that give different dates, numbers or durations about one subject or for one question are listed with both quotes.',
  },
  'scout.ranking': {
    source: 'runs § scout',
    behavior:
      'Services are ranked by how well their capabilities meet the parts of a task, with reasons.',
  },
  'scout.plain-tasks': {
    source: 'runs § scout',
    behavior:
      'Tasks in plain language find their rail, announced ones as not available. What nothing of ours fits has no clear match.',
  },
  'scout.exclusions': {
    source: 'runs § scout',
    behavior: 'A service that is not ranked has a reason: constraint, approval, no match or limit.',
  },
  'scout.missing': {
    source: 'runs § scout',
    behavior: 'The parts of a task that no available service meets clearly are named.',
  },
  'rails.rows': {
    source: 'runs § Inputs',
    behavior:
      'A list is read as a stream of CSV or JSON Lines, and each row is checked. The first wrong record is named by its line, and nothing is read ahead.',
  },
  'reading.numbers': {
    source: 'runs § How a file is read',
    behavior:
      'Numbers are read with points or commas, grouped by points, commas, blanks or apostrophes, with signs and brackets; what has two readings has both.',
  },
  'reading.dates': {
    source: 'runs § How a file is read',
    behavior:
      'Days and times are read in ISO 8601, in numbers with day or month first, and with names of months; what has two readings has both.',
  },
  'reading.tables': {
    source: 'runs § How a file is read',
    behavior:
      'A table is read by the headings of its trade, with lines above its header and a total below, in every encoding, separator and line end.',
  },
  'reading.totals': {
    source: 'runs § How a file is read',
    behavior: 'A total of a table that its rows do not come to is a finding.',
  },
  'reading.questions': {
    source: 'runs § How a file is read',
    behavior:
      'How numbers, dates and amounts are written is decided over the whole column; what stays open is a fault that asks for it.',
  },
  'reading.corrections': {
    source: 'runs § How a file is read',
    behavior: 'One column may feed several fields, and a constant fills a field that a file lacks.',
  },
  'reading.left-out': {
    source: 'runs § How a file is read',
    behavior:
      'A line that cannot be read is left out only where its caller names it; a named line that can be read is a fault.',
  },
  'reading.shown': {
    source: 'runs § How a file is read',
    behavior:
      'A preflight answers how each uploaded list was read, and a refusal too; questions are answered by members of the input.',
  },
  'reading.forms': {
    source: 'runs § How a file is read',
    behavior:
      'XML, JSON and texts of the forms of a rail are recognised by their content; XML with a document type is refused.',
  },
  'tokenops.costs': {
    source: 'runs § tokenops',
    behavior:
      'Usage is priced exactly by model, agent, day, task, customer and tag, with cached, written, image, reasoning and batch tokens at their own prices. A model without exactly one price is a gap and is in no sum.',
  },
  'tokenops.prices': {
    source: 'decision',
    behavior:
      'Prices for a token or for a million tokens hold from their first to their last day. Other currencies are converted by the given rate of the day, without rounding.',
  },
  'tokenops.meters': {
    source: 'runs § tokenops',
    behavior:
      'Each count has a price of its own by the length of the prompt, the service and the region. A count without one is a gap and in no sum.',
  },
  'tokenops.listed': {
    source: 'runs § tokenops',
    behavior:
      'A run may name a dated list of prices. It holds for models that the price table does not have, and is never taken unnamed.',
  },
  'tokenops.forms': {
    source: 'runs § tokenops',
    behavior:
      'Exports of usage and of bills are read as their services write them. What a record does not say is not guessed.',
  },
  'tokenops.names': {
    source: 'decision',
    behavior:
      'Aliases, other spellings and versions of a model are priced as the only model that they can be. Each such name is shown with the reason.',
  },
  'tokenops.duplicates': {
    source: 'decision',
    behavior:
      'Rows of a request id that say the same count once. Rows of an id that differ, and repeated rows without an id, are counted and reported.',
  },
  'tokenops.columns': {
    source: 'decision',
    behavior:
      'Rows of LiteLLM spend logs and of FOCUS charges are read by their own columns. What they state as billed is compared with the cost by the price table.',
  },
  'tokenops.bills': {
    source: 'decision',
    behavior:
      'A bill that differs from the cost of its tokens is a finding at every tier, and no saving rests on it. A meter that names no kind of token is a needed gap; what was billed for it counts.',
  },
  'tokenops.savings': {
    source: 'decision',
    behavior:
      'The result shows what a cheaper model or a cache would have saved on the same usage, each with its assumption.',
  },
  'tokenops.budget': {
    source: 'runs § tokenops',
    behavior:
      'The result shows the used part of a budget and a forecast over its period from the current rate. A budget is never called kept while rows are unpriced.',
  },
  'tokenops.anomalies': {
    source: 'runs § tokenops',
    behavior:
      'Rows of a model and days of an agent are named where their cost is above a limit that the tail of their sample makes unlikely.',
  },
  'rails.words': {
    source: 'runs § Rail work',
    behavior:
      'Days, sums, shares, lengths and counts are read from English text. An ambiguous text is reported as such.',
  },
  'rails.bounded': {
    source: 'runs § Rail work',
    behavior:
      'No accepted text keeps a rail busy without end. Work that is left out for that reason is a gap.',
  },
  'contractops.facts': {
    source: 'runs § contractops',
    behavior: 'Parties, dates and amounts of a contract are found, each with its place.',
  },
  'contractops.terms': {
    source: 'runs § contractops',
    behavior:
      'The term, renewal and notice of a contract are read, and the dates that follow are computed by the stated convention.',
  },
  'contractops.obligations': {
    source: 'runs § contractops',
    behavior: 'The obligations and prohibitions of each party are listed with their sentences.',
  },
  'contractops.uncertain': {
    source: 'runs § contractops',
    behavior:
      'Open or contradictory points of a contract are listed. Facts that were not found are gaps.',
  },
} as const
