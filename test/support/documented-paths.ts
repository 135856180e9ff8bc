const linesOf = (text: string) => text.trim().split(/\s+/)

/** Paths of {base_url} that the two product documents name; each may be called by anyone or by agents. */
const publicPaths = linesOf(`
  /.well-known/mcp.json
  /.well-known/service-authority-key.json
  /agent-tools.json
  /api/agent-allowance-wallet
  /api/agent-api-quickstart
  /api/agent-commerce-proof
  /api/agent-commercial-layer
  /api/agent-credit-checkout-binding
  /api/agent-paid-callback-completion
  /api/agent-passport
  /api/agent-payment-rail
  /api/agent-pricing
  /api/agent-rail-checkout
  /api/agent-registry
  /api/agent-run-clearing-spine
  /api/agent-sandbox
  /api/agent-self-serve-rail-loop
  /api/agent-test-harness
  /api/agent-to-agent-test-harness
  /api/agent-tools
  /api/agent-use
  /api/agents-start-here
  /api/agents/credits/{entitlement_id}
  /api/agents/quote
  /api/agents/register
  /api/agents/status/{token}
  /api/commerce-activity-feed
  /api/compliance-evidence-samples
  /api/controlled-operating-loops
  /api/credential-enforcement-agent-test
  /api/credential-enforcement-middleware
  /api/customer-activation-path
  /api/customer-production-runs
  /api/customer-workflow-production
  /api/delegated-authority
  /api/diligenceops-payment-product-links
  /api/diligenceops-product-to-proof-loop
  /api/directory-submission-execution
  /api/durable-usage-ledger
  /api/energyops-controlled-pilot-execution
  /api/enterprise-controls
  /api/external-agent-agent-test
  /api/external-agent-invocation-test
  /api/financeops-controlled-pilot-execution
  /api/first-paid-production-run
  /api/first-paid-production-run-execution
  /api/first-pilot-run-execution
  /api/free-proof-run
  /api/investor-demo
  /api/investor-demo-v2
  /api/live-prospect-sprint
  /api/mcp
  /api/mcp-server-wrapper
  /api/model-evidence-analysis
  /api/model-proof-relay
  /api/os-security-hardening
  /api/packetops-manifest-loop
  /api/payment-authority-layer
  /api/payout-authorize
  /api/payout-challenge
  /api/payout-create
  /api/payout-execute
  /api/payout-status
  /api/persistent-regression-store
  /api/pilot-client-agent-offer-launch
  /api/pilot-conversation-tracker
  /api/pilot-intake
  /api/pilot-invitation-response-workflow
  /api/production-write-gate
  /api/provider-callback-receiver-demo
  /api/provider-callback-receiver-examples
  /api/provider-receipt-completion
  /api/sample-return-packages
  /api/service-resolver
  /api/service-scout
  /api/signing-secret-rotation
  /api/tokenops-controlled-pilot-execution
  /api/trust-contract
  /api/trust-listing-path
  /api/verify-receipt
  /api/wallet-bound-rail-run
  /api/work-order-exchange
  /api/work-orders
  /schemas
`)

/** Paths of {base_url} that the first document marks as operator-only. */
export const operatorPaths = linesOf(`
  /api/loop-review-console
  /api/loop-decision-audit-pack
  /api/first-pilot-outreach-pack
  /api/payment-link-configuration-sprint
  /api/paid-next-step-pack
  /api/energyops-runtime-pilot-run
  /api/financeops-mvp-runtime-run
`)

/** Paths of {os_url}. */
export const osPaths = linesOf(`
  /api/agents/contracts
  /api/agents/contracts/{contract_id}
  /api/agents/handshake
  /api/agents/preflight
  /api/agents/tasks/{token}/attestation
  /api/agents/tasks/{token}/exceptions
  /api/agents/tasks/{token}/ledger
  /api/agents/tasks/{token}/recover
  /api/agents/tasks/{token}/replay-package
`)

/** All 100 paths of the two product documents. */
export const documentedPaths = [...publicPaths, ...operatorPaths, ...osPaths]
