/** What callers without an agent can find and try. */
export const discoveryRequirements = {
  'discovery.agent-card': {
    source: 'mcp § Discovery',
    behavior:
      '/.well-known/agent-card.json is an A2A card with a skill for each rail that runs and interfaces that answer; its signature verifies with the published key over the RFC 8785 form of the rest, and no changed card has one.',
  },
  'discovery.llms': {
    source: 'mcp § Discovery',
    behavior:
      '/llms.txt names what this is and documents that answer; /llms-full.txt has in addition every operation and refusal.',
  },
  'discovery.webhooks': {
    source: 'callbacks § Body',
    behavior:
      'OpenAPI describes each callback that this service sends as a webhook; callbacks as they are signed fit it, and no other body does.',
  },
  'discovery.quickstart': {
    source: 'mcp § Discovery',
    behavior:
      '/api/agent-api-quickstart gives the five rails of the quickstart and the calls of a sandbox run, also for curl; pasted in order they lead to a result.',
  },
  'discovery.quickstart-run': {
    source: 'mcp § Discovery',
    behavior:
      'A quickstart run is a sandbox run on one of the five rails; its answer has the calls that do the same work for an agent, and an agent that pastes them gets a result.',
  },
  'sandbox.run': {
    source: 'runs § Sandbox runs',
    behavior:
      'Any caller starts a synthetic run of any rail on its sample or on an input of its own; it takes the workflow of every run, and costs nothing.',
  },
  'sandbox.fault.missing-evidence': {
    source: 'runs § Sandbox runs',
    behavior:
      'A run with missing_evidence waits in evidence_partial; the holder of its token supplies the evidence, and it completes.',
  },
  'sandbox.fault.worker-exception': {
    source: 'runs § Sandbox runs',
    behavior:
      'The worker of a run with worker_exception fails until worker_failed stops the task; the holder of its token recovers it.',
  },
  'sandbox.fault.callback-failure': {
    source: 'runs § Sandbox runs',
    behavior:
      'The first attempt of the callback of a run with callback_failure is refused, and a later one is taken.',
  },
  'sandbox.slots': {
    source: 'tasks § Slots and fairness',
    behavior:
      'Sandbox runs without an agent share the slots of one agent, and take none of an order without one and none of a rail; a recovery that would bring one back to work while these slots are taken is 429 and changes nothing.',
  },
  'sandbox.unattended': {
    source: 'runs § Sandbox runs',
    behavior:
      'No list, count or alert for operators has sandbox runs without an agent; one that is stopped for 24 hours is abandoned.',
  },
  'sandbox.quotes': {
    source: 'decision',
    behavior:
      'A quote that is asked for with the token of a sandbox run without an agent has a token of its own, as for a caller without a credential.',
  },
  'sandbox.gaps': {
    source: 'runs § Sandbox runs',
    behavior: 'Each current rail has a sample with gaps.',
  },
  'sandbox.refusals': {
    source: 'runs § Sandbox runs',
    behavior:
      'Another rail, an unreadable, large or secret input and a foreign callback are refused, and nothing of them is kept.',
  },
  'sandbox.tokens': {
    source: 'agents § Status tokens',
    behavior:
      'The token of a sandbox run without an agent reads and recovers that run and no other; every other token is 404.',
  },
  'sandbox.contract': {
    source: 'runs § Sandbox runs',
    behavior:
      'A read without a token gives the operations of the sandbox, its rails, and its runs by state.',
  },
  'sandbox.quota': {
    source: 'runs § Sandbox runs',
    behavior:
      'Runs of the sandbox and their recoveries count in the daily quotas of callers without trust.',
  },
  'agent.identity-file': {
    source: 'agents § Identity',
    behavior:
      'The ERC-8004 registration file names only addresses that answer, and a registration only where one is configured.',
  },
  'agent.identity': {
    source: 'agents § Identity',
    behavior:
      'A claimed identity counts only if its owner by ownerOf signed it for the key that registers; it is kept, shown to reviewers and in the receipt.',
  },
  'agent.identity-refused': {
    source: 'agents § Identity',
    behavior:
      'Another registry, owner, signer, key or origin, or an unknown token, is refused, a chain that does not answer is 503, and nothing is stored.',
  },
  'discovery.jwks': {
    source: 'trust § Key rings',
    behavior: 'The document jwks.json contains every key that was ever published, with its times.',
  },
  'discovery.trust-contract': {
    source: 'trust § Trust contract',
    behavior:
      'The trust contract names the issuer, key, service ids, caps, price, holder bindings and EIP-712 domain.',
  },
  'discovery.openapi': {
    source: 'calls § Discovery',
    behavior:
      'The document openapi.json is valid OpenAPI 3.1. It lists every operation with every error code that the operation can return.',
  },
  'discovery.limits': {
    source: 'calls § Rate limits',
    behavior:
      'llms.txt and /api/agents-start-here publish the limits by the minute. Answers that are not stored, and refusals, name their limit and what is left of it; documents that any cache may keep have a limit of their own.',
  },
  'discovery.described': {
    source: 'calls § Discovery',
    behavior:
      'In openapi.json each parameter and each member of a request body says what it means.',
  },
} as const
