export const agentRequirements = {
  'agent.trust.table': {
    source: 'agents § Trust',
    behavior:
      'Each pair of trust state and decision follows the table, or is refused with the allowed decisions.',
  },
  'agent.trust.guarded-in-sql': {
    source: 'agents § Trust',
    behavior:
      'The database refuses every other change of trust, and every change of registered data.',
  },
  'agent.register.key-once': {
    source: 'agents § Registration',
    behavior:
      'One public key is one agent, also for parallel registrations. A second one returns 409 key_already_registered.',
  },
  'agent.register.key-taken-back': {
    source: 'decision',
    behavior:
      'A registration signed by its key takes the key back from an agent that was registered without that signature and never shook hands, once: an agent whose holder showed the key keeps it.',
  },
  'agent.credential.format': {
    source: 'agents § Access keys',
    behavior: 'An access key has the form ag_<id>_<256-bit secret>.',
  },
  'agent.credential.judged': {
    source: 'agents § Access keys',
    behavior:
      'The state, expiry, trust, scope, rail and amount of a credential are checked, and every problem is reported.',
  },
  'agent.credential.guarded-in-sql': {
    source: 'agents § Access keys',
    behavior:
      'SQL lets access keys and signing versions change only along their table, with one active and one waiting for each agent.',
  },
  'agent.credential.digest': {
    source: 'agents § Access keys',
    behavior: 'The database holds only the SHA-256 of the secret of a credential.',
  },
  'agent.credential.rotated': {
    source: 'agents § Access keys',
    behavior: 'Rotation keeps the old credential valid for a grace time, and no longer.',
  },
  'agent.delivery.order': {
    source: 'agents § Access key delivery',
    behavior: 'Code and SQL enforce the documented order of the six steps of access key delivery.',
  },
  'agent.delivery.effects': {
    source: 'agents § Access key delivery',
    behavior:
      'Each step of access key delivery is recorded by its own effect. The fourth is taken by the callback, by the operator who wrote to the contact, or by the agent that claims its key.',
  },
  'agent.delivery.notice': {
    source: 'agents § Access key delivery',
    behavior:
      'An agent with a callback URL is notified that its key is ready. The notice does not contain the key.',
  },
  'agent.steps.order': {
    source: 'agents § Access key delivery',
    behavior:
      'The status shows the steps of self-onboarding and access key delivery in the documented order, each as its records show; the status URL is used wherever they are read.',
  },
  'agent.status-token.format': {
    source: 'agents § Status tokens',
    behavior: 'A status token consists of its prefix and 256 bits.',
  },
  'agent.signature.text': {
    source: 'calls § Agent signature',
    behavior:
      'An agent signs the origin, method, path, body, status token and time of a call. The signature is valid for 300 seconds.',
  },
  'agent.onboarding.end-to-end': {
    source: 'tasks § Sequences',
    behavior:
      'Over HTTP, an agent submits its manifest, gets its trust state and status URL, and passes the six steps of access key delivery.',
  },
  'agent.register.idempotent': {
    source: 'agents § Registration',
    behavior:
      'A registration that is repeated with its idempotency key returns the same agent and status token. Other terms are a conflict.',
  },
  'agent.secrets.not-stored': {
    source: 'agents § Status tokens',
    behavior:
      'No table and no log line contains a status token, an access key or a refused secret.',
  },
  'agent.sandbox': {
    source: 'agents § Sandbox',
    behavior:
      'A sandbox agent is trusted at once, within the scopes of the sandbox. Its registration names the scopes that it got, and those that it did not get with the reason.',
  },
  'agent.envelope': {
    source: 'agents § Access keys',
    behavior:
      'An access key is sealed to the encryption key of the agent, or is returned once to a signed handshake.',
  },
  'agent.handshake.proof': {
    source: 'agents § Handshake',
    behavior:
      'A handshake needs a signature of the registered key over a current nonce of the service and the status token.',
  },
  'agent.status.kinds': {
    source: 'agents § Status tokens',
    behavior:
      'The status URL shows an agent with its newest orders and pilots, and the task, order or pilot of their own tokens.',
  },
  'agent.status-token.unknown': {
    source: 'agents § Status tokens',
    behavior: 'A malformed, foreign or unknown status token returns the same 404.',
  },
  'agent.signature.required': {
    source: 'calls § Agent signature',
    behavior:
      'A status token allows an action only with a fresh signature of the registered key over this call.',
  },
  'agent.access': {
    source: 'agents § Access keys',
    behavior:
      'An access key permits what its scopes and rails cover. Other calls return 401, 403 or 429.',
  },
  'agent.rails': {
    source: 'agents § Access keys',
    behavior:
      'An access key acts only on its rails, named directly or by the id of a quote, contract or run. It reads everything of its agent.',
  },
  'agent.revoked-at-once': {
    source: 'agents § Access keys',
    behavior:
      'A revoked credential and a suspended agent are refused from the next call on, in every process.',
  },
  'agent.attempts.slowed': {
    source: 'agents § Failed attempts',
    behavior:
      'Guessing is slowed per address and per credential. A correct key is accepted at once, whatever its address did before.',
  },
  'agent.enforce': {
    source: 'agents § Credential check',
    behavior:
      'The operation enforce_agent_credential says what a presented credential may do, with each reason for a denial. It is audited.',
  },
  'agent.statement.signed': {
    source: 'agents § Statements',
    behavior:
      'The service signs the statements of an agent with a key ring of its own. A statement can be verified by version and is never a receipt.',
  },
  'agent.statement.own-key': {
    source: 'agents § Statements',
    behavior:
      'A statement that an agent signs with its own key (kid agt_…#version) is verified by the version that it names.',
  },
  'agent.statement.key-state': {
    source: 'agents § Statements',
    behavior:
      'A statement is valid by the status of its key at the time of the statement. A revoked key proves nothing.',
  },
  'agent.signing.rotated': {
    source: 'agents § Statements',
    behavior:
      'A signing key is replaced by signatures of the old and the next key, with an overlap or at once.',
  },
  'agent.credential.rotated-over-http': {
    source: 'agents § Access keys',
    behavior:
      'An agent or an operator can rotate an access key. The agent claims the next key by a handshake with its registered key.',
  },
  'agents.commands': {
    source: 'agents § Evidence of a review',
    behavior:
      'The command line lists and shows agents, decides about their trust with limits, and shows and rotates their keys.',
  },
  'agent.attempts.counted': {
    source: 'agents § Failed attempts',
    behavior:
      'Failed attempts are counted per address and credential in Postgres, exactly over all processes.',
  },
} as const
