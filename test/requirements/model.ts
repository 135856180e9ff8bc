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
  'model.replay': {
    source: 'model § In the package',
    behavior:
      'The package names each output by digest. A replay makes the drafts again from the stored outputs without a call, and refuses a package with another output or draft; verification of the zip and of the JSON agrees.',
  },
} as const
