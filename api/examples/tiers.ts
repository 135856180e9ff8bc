const entry = {
  depth: 'the manifest, the coverage and the readiness',
  leaves_out: ['samples', 'contradictions', 'duplicates'],
  leaves_out_codes: [
    'contradicted',
    'statements_differ',
    'duplicate_content',
    'population_missing',
    'population_size_differs',
    'population_unknown',
    'sample_not_a_table',
    'sample_not_from_population',
    'sample_rows_repeated',
    'sample_too_small',
  ],
  rows_max: 50,
  bytes_max: 16_777_216,
  reruns_max: 2,
  report_formats: ['json', 'html', 'markdown'],
  turnaround_hours: 24,
} as const

const standard = {
  depth: 'all of it, with samples, contradictions and duplicates',
  leaves_out: [],
  leaves_out_codes: [],
  rows_max: 200,
  bytes_max: 134_217_728,
  reruns_max: 5,
  report_formats: ['json', 'html', 'markdown', 'csv'],
  turnaround_hours: 8,
} as const

const pro = {
  depth:
    'all of it, with samples, contradictions and duplicates, with each table also as JSON Lines',
  leaves_out: [],
  leaves_out_codes: [],
  rows_max: 200,
  bytes_max: 268_435_456,
  reruns_max: 20,
  report_formats: ['json', 'html', 'markdown', 'csv', 'jsonl'],
  turnaround_hours: 2,
} as const

/** What the tiers of packetops get. */
export const packetopsTiers = { entry, standard, pro } as const
