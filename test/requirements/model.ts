/** What the optional model owes. */
export const modelRequirements = {
  'model.apart': {
    source: 'model § In the package',
    behavior:
      'Drafts of a model are a member of their own in the package. Result, findings, gaps and decisions are those of the same run without a model; without a model, or with nothing to draft, the package is the same bytes.',
  },
  'model.sentence': {
    source: 'model § Sentences',
    behavior:
      'A drafted sentence stands only with exact quotes at their places in the input, all of its numbers, words of extent and denials from them, and no word that neither quotes nor question have. Every other sentence is dropped with a finding.',
  },
  'model.injection': {
    source: 'model § Sentences',
    behavior:
      'Texts of documents reach the model as JSON data. Whatever a model answers to an instruction in them, no sentence without a quote is delivered, and the deterministic part stays.',
  },
  'model.budget': {
    source: 'model § Budget and faults',
    behavior:
      'Each call reserves the most tokens that it may use, of its run and of the day, before it is sent, exactly under concurrency, and settles by the reported usage. A process that dies leaves its reservation counted.',
  },
  'model.fallback': {
    source: 'model § Budget and faults',
    behavior:
      'Over budget, at 429, a timeout, a refusal, an unreachable endpoint or an unreadable answer, the run delivers its deterministic result, and the drafts say why with a finding.',
  },
  'model.once': {
    source: 'model § In the package',
    behavior:
      'The end of a call is stored before it is used. A repeated activity reads it and calls no more; a call that was interrupted twice is given up.',
  },
  'model.replay': {
    source: 'model § In the package',
    behavior:
      'The package names each output by digest. A replay makes the drafts again from the stored outputs without a call, and refuses a package with another output or draft; verification of the zip and of the JSON agrees.',
  },
  'model.secret': {
    source: 'model § Configuration',
    behavior:
      'The key of the endpoint is in no log, history, row or answer, also where the endpoint repeats it. Calls follow the rules for outgoing addresses.',
  },
  'model.contract': {
    source: 'model § When it is used',
    behavior:
      'The contract of a run that a model drafts on names the model and its host before it is accepted. A run whose contract names none is not drafted on.',
  },
  'model.settings': {
    source: 'model § Configuration',
    behavior:
      'A model is used only where it is configured by its URL and name; the key comes from a file, whose faults name the file and not its content.',
  },
} as const
