/** Requirements on MCP: id → source and behavior. */
export const mcpRequirements = {
  'mcp.tools': {
    source: 'mcp § Tools',
    behavior:
      'The tools are the operations that declare a documented tool name, in the documented order, with input and output schemas, annotations and a description from the registry alone.',
  },
  'mcp.schemas': {
    source: 'mcp § Tools',
    behavior:
      'No input of a tool has a combinator at its top, and no schema has `prefixItems`, boolean `items` or `propertyNames`; which members belong together is in the description, and the call is held to it.',
  },
  'mcp.descriptions': {
    source: 'mcp § Tools',
    behavior:
      'Each description has the summary of the operation, its access and price, and says to reuse the same idempotency key; text that an agent supplied is in none of them.',
  },
  'mcp.same-call': {
    source: 'mcp § Tools',
    behavior:
      'The call of a tool is the call of its operation: the same request reaches the same pipeline, and the answer or problem is the same object as over HTTP, as structured content and as text.',
  },
  'mcp.versions': {
    source: 'mcp § Endpoint',
    behavior:
      'Both paths answer revision 2026-07-28 and the versions from 2024-11-05 to 2025-11-25, without sessions; GET is 405.',
  },
  'mcp.lenient': {
    source: 'mcp § Endpoint',
    behavior:
      'A client that accepts application/json or */* alone is answered, initialize agrees on a version whatever the header names, and any cursor for the list of tools is -32602.',
  },
  'mcp.messages': {
    source: 'mcp § Endpoint',
    behavior:
      'A body that is not UTF-8 JSON of bounded depth and size, a batch, an unknown tool and a subscription are refused and reach no operation; a mode among the arguments leads to no other operation.',
  },
  'mcp.origin': {
    source: 'mcp § Endpoint',
    behavior: 'A request with an Origin other than the service or this machine is a 403.',
  },
  'mcp.limits': {
    source: 'mcp § Endpoint',
    behavior:
      'The call of a tool counts as a call of its operation; any other message counts as a call of its address, and a list of the tools as a public document, too.',
  },
  'mcp.payment-required': {
    source: 'mcp § Payment',
    behavior:
      'An unpaid start is a result with isError: one object with the members of the problem and x402Version, resource, accepts and error, the same as structured content and as text.',
  },
  'mcp.payment': {
    source: 'mcp § Payment',
    behavior:
      'A payment in _meta pays for the call once, however often and over whatever version it is sent, and the result has the settlement.',
  },
  'mcp.runs': {
    source: 'mcp § Runs',
    behavior:
      'A start answers once the run is begun; get_run_status waits for its next move for a bounded time.',
  },
  'mcp.tasks': {
    source: 'mcp § Runs',
    behavior:
      'For a client that declares the Tasks extension, a start that is not refused is a task with the id of its run, read from the rows of the run; it is unknown to other agents, and other clients get the result itself.',
  },
  'mcp.cancel': {
    source: 'mcp § Runs',
    behavior:
      'tasks/cancel abandons a run that has no result yet and gives back its credit; nothing happens to one that has ended, and it is refused while a payment may be in progress.',
  },
  'mcp.oauth': {
    source: 'mcp § Access by OAuth',
    behavior:
      'Where an issuer is configured, its access tokens for the resource are agents over MCP, by a configured map of subjects and within the scopes of token and access key; any other caller of a tool that needs one gets a 401 that names the metadata of the resource.',
  },
  'discovery.agent-tools': {
    source: 'mcp § Discovery',
    behavior:
      '/agent-tools.json, also as /api/agent-tools, and /.well-known/mcp.json list every operation and tool from the registry, with access, price, statuses and errors; they agree with OpenAPI and tools/list.',
  },
  'discovery.start-here': {
    source: 'mcp § Discovery',
    behavior:
      '/api/agents-start-here gives the calls of a first run on a rail in order, each with a body that its operation takes and what to replace in it; an agent that follows them gets a result.',
  },
} as const
