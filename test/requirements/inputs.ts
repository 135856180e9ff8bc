export const inputRequirements = {
  'input.stored': {
    source: 'runs § Inputs',
    behavior:
      'An uploaded input is streamed into and out of Postgres, and every process reads it byte for byte.',
  },
  'input.digest': {
    source: 'runs § Inputs',
    behavior: 'An upload with another digest or an early end stores nothing.',
  },
  'input.screened': {
    source: 'runs § Inputs',
    behavior:
      'Uploaded texts are screened for secrets while they are streamed, whatever their length: 422 forbidden_material, and nothing of them is kept or logged. Ordinary evidence is accepted.',
  },
  'files.screened': {
    source: 'runs § Files',
    behavior:
      'The text of a PDF, DOCX or XLSX file is screened for secrets where it is read. One is 422 forbidden_material for every use of the upload, and its bytes are deleted with that outcome.',
  },
  'input.owner': {
    source: 'runs § Inputs',
    behavior: 'An input belongs to the agent that uploaded it, and is stored once.',
  },
  'input.bounds': {
    source: 'limits § Task and run limits',
    behavior: 'An upload has at most 256 MB.',
  },
  'input.quota': {
    source: 'runs § Inputs',
    behavior:
      'The stored inputs of one agent have at most INPUT_BYTES_PER_AGENT bytes in total, and at most four uploads run at once.',
  },
  'input.upload': {
    source: 'runs § Inputs',
    behavior:
      'PUT /api/agent-inputs/{sha256} accepts CSV or JSON Lines of an agent with 201, and a repeat with 200. GET describes the input. Everything else is refused.',
  },
  'input.used': {
    source: 'runs § Inputs',
    behavior:
      'The input of a run may name an uploaded list as {"sha256": …}. The worker and the validator stream it, and the result equals that of the same rows inline.',
  },
  'input.checked': {
    source: 'runs § Inputs',
    behavior:
      'A preflight, quote, start, order or recovery reads the uploads that its input names in full, once for a list and its columns, in a process of the pool. Their faults are those of the same rows inline.',
  },
  'input.readings': {
    source: 'limits § Task and run limits',
    behavior:
      'An agent begins a limited number of readings of uploads, and of their bytes, within 24 hours, exactly under parallel calls; deleting an upload frees none. One more is 429 with the time until there is room; a known reading is free.',
  },
  'input.memory': {
    source: 'runs § Inputs',
    behavior: 'The memory for an upload, and for reading it, does not grow with its length.',
  },
  'input.kept': {
    source: 'runs § Inputs',
    behavior: 'An input is removed a set time after the last task that uses it has closed.',
  },
  'input.corrected': {
    source: 'runs § Inputs',
    behavior:
      'A PUT of the same bytes with another content type replaces the type, screened as it, unless a task that is not closed uses the upload.',
  },
  'input.deleted': {
    source: 'runs § Inputs',
    behavior:
      'DELETE takes an upload away with its readings and frees its bytes; a repeat answers the same, and one that an open task uses is 409.',
  },
  'input.refused': {
    source: 'limits § Task and run limits',
    behavior:
      'An upload without room names the bytes that the uploads of its agent may have, and a body that is too large the way to upload a list.',
  },
  'input.guarded-in-sql': {
    source: 'runs § Inputs',
    behavior:
      'SQL refuses a change of a stored input, an incomplete input, and the removal of an input that is in use.',
  },
} as const
