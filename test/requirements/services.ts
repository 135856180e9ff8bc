/** Requirements on finding, inspecting, requesting and running services: id → source and behavior. */
export const serviceRequirements = {
  'resolver.contract': {
    source: 'services § Services',
    behavior:
      'GET /api/service-resolver lists every rail, free tool and approved service of others, derived from rails and registry, and a free tool named there answers.',
  },
  'resolver.find': {
    source: 'services § Find',
    behavior:
      'find_services ranks by the words of the query, with the words that fit; another query ranks otherwise, and services of others appear only when asked for and approved.',
  },
  'resolver.inspect': {
    source: 'services § Inspect',
    behavior:
      'A candidate is stored by the digest of its description, read once by a guarded request and judged; a repeat reads the record.',
  },
  'resolver.url': {
    source: 'services § Inspect',
    behavior:
      'A URL that no public service has, or that names this service, is 400 candidate_denied and nothing is stored or sent.',
  },
  'resolver.address': {
    source: 'services § Inspect',
    behavior:
      'No address outside public space is reached, whatever a name resolves to, and callers see the same for every reason to read nothing.',
  },
  'resolver.read': {
    source: 'services § Inspect',
    behavior:
      'Redirects, compression, other media types, long, slow, deep or unreadable answers are not read.',
  },
  'resolver.request': {
    source: 'services § Inspect',
    behavior: 'The one request carries no credential and calls no tool.',
  },
  'resolver.text': {
    source: 'services § Inspect',
    behavior:
      'Instructions, markup and hidden characters are a high risk; text of a service is kept short and shown to no caller before its approval.',
  },
  'resolver.judge': {
    source: 'services § Inspect',
    behavior:
      'A document that leads to this service, elsewhere, nowhere, or holds a secret says so in a check of its own.',
  },
  'resolver.quota': {
    source: 'services § Inspect',
    behavior:
      'At most ten new services of a host a day are stored and read, also when they are sent at the same time; equal ones are one. One agent, and all callers without one, leave room for others; further inspections are refused while too many wait.',
  },
  'resolver.sql': {
    source: 'decision',
    behavior: 'SQL refuses every other move of a service, and every change of what was submitted.',
  },
  'resolver.review': {
    source: 'services § Review',
    behavior:
      'An operator approves or denies a service of someone else with its evidence in view; only one that was read can be approved, and an approval can be taken back.',
  },
  'resolver.use': {
    source: 'services § Request',
    behavior:
      'request_service_use answers how a service is used, with a receipt; an approved service of someone else becomes a work order, any other one is 400.',
  },
  'resolver.run': {
    source: 'services § Run',
    behavior:
      'run_service runs free tools only and records outcome, usage event and receipt once for each key; paid rails and services of others are 400 and are never called, and an answer of more than 16 KiB is not recorded.',
  },
  'resolver.refusals': {
    source: 'services § Inspect',
    behavior:
      'Secrets, control characters, unknown members, and large or deep schemas are refused before anything is stored.',
  },
  'scout.rank': {
    source: 'services § Scout',
    behavior:
      'service-scout ranks services for a task within constraints in a process with small limits, and names what no service does.',
  },
  'scout.receipt': {
    source: 'services § Scout',
    behavior:
      'A scouting by POST has a synthetic receipt over task, registry and result, once for each key.',
  },
  'registry.list': {
    source: 'agents § Registry',
    behavior:
      'The registry lists trusted agents that publish a profile, in bounded pages, by words, rail and capability; a withdrawal or suspension takes effect at once.',
  },
  'registry.profile': {
    source: 'agents § Registry',
    behavior:
      'A profile is set with the scope profile:write, within the rails of the agent, with a receipt; a sandbox agent has no such scope.',
  },
  'directory.document': {
    source: 'services § Directories',
    behavior:
      'The document for directories is printed from the registry, and its addresses, tools and rails are those that are served.',
  },
  'directory.submission': {
    source: 'services § Directories',
    behavior:
      'One submission for each directory and document; dry_run, or a directory without an address, leaves it prepared, and a repeat is about its first document.',
  },
  'directory.attempts': {
    source: 'services § Directories',
    behavior:
      'Every attempt is stored before it is sent and sends the same bytes under the same key; 2xx accepts, 3xx and 4xx refuse, and anything else is tried again until it has failed.',
  },
  'directory.guard': {
    source: 'services § Directories',
    behavior:
      'Only operators submit; an address that no request may go to is 422 callback_refused and nothing is stored; no address is shown.',
  },
} as const
