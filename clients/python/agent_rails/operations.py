# Made by `npm run client:python`.
"""Every operation of the service, with the types of its input and of its answer."""

from . import types
from .operation import Operation

PAYOUT_CREATE: Operation[types.PayoutCreateRequest, types.PayoutCreateAnswer] = Operation(
    "payout-create", "POST", "/api/payout-create", "base", ("wallet",), keyed=True, keeps=True
)
"""Fix the terms of a payout: recipient, amount and label. Moves no money and grants no authority."""

PAYOUT_CHALLENGE: Operation[types.PayoutChallengeRequest, types.PayoutChallengeAnswer] = Operation(
    "payout-challenge", "POST", "/api/payout-challenge", "base", ("public",)
)
"""Get what a treasury holder has to sign for one exact payout: a challenge and a signed checkout. Changes nothing."""

PAYOUT_AUTHORIZE: Operation[types.PayoutAuthorizeRequest, types.PayoutAuthorizeAnswer] = Operation(
    "payout-authorize", "POST", "/api/payout-authorize", "base", ("wallet",), keyed=True, keeps=True
)
"""Bind a treasury principal signature and an unused mandate presentation to exactly one created payout."""

PAYOUT_EXECUTE: Operation[types.PayoutExecuteRequest, types.PayoutExecuteAnswer] = Operation(
    "payout-execute", "POST", "/api/payout-execute", "base", ("wallet",), keeps=True
)
"""Transfer the principal of an authorized payout, once. 202 while the transfer is under way: wait with payout-status and Prefer: wait=20."""

PAYOUT_STATUS: Operation[types.PayoutStatusRequest, types.PayoutStatusAnswer] = Operation(
    "payout-status", "POST", "/api/payout-status", "base", ("wallet",), keeps=True
)
"""Read a payout and its receipts by its id or by the idempotency key it was created with; with Prefer: wait=20 the answer comes with its next change."""

PAYOUT_CALLBACK_SET: Operation[types.PayoutCallbackSetRequest, types.PayoutCallbackSetAnswer] = Operation(
    "payout-callback-set", "POST", "/api/payout-callback", "base", ("wallet",), keeps=True
)
"""Set or remove the URL that is called when a payout of your wallet is executed, final or dead."""

PAYOUT_CALLBACK_READ: Operation[types.PayoutCallbackReadRequest, types.PayoutCallbackReadAnswer] = Operation(
    "payout-callback-read", "POST", "/api/payout-callback", "base", ("wallet",)
)
"""Read where payouts of your wallet are called back."""

AUTHORITY_CONTRACT: Operation[types.AuthorityContractRequest, types.AuthorityContractAnswer] = Operation(
    "authority-contract", "GET", "/api/delegated-authority", "base", ("public",)
)
"""What delegated authority supports: schemas, identities, modes, rails, rules and operations."""

READ_CONTROL_PLANE: Operation[types.ReadControlPlaneRequest, types.ReadControlPlaneAnswer] = Operation(
    "read-control-plane", "POST", "/api/delegated-authority", "base", ("public",)
)
"""The contract of delegated authority with live counts."""

DRAFT_MANDATE: Operation[types.DraftMandateRequest, types.DraftMandateAnswer] = Operation(
    "draft-mandate", "POST", "/api/delegated-authority", "base", ("public",)
)
"""Draft a mandate without a signature; an operator may issue it within a day."""

ISSUE_MANDATE: Operation[types.IssueMandateRequest, types.IssueMandateAnswer] = Operation(
    "issue-mandate", "POST", "/api/delegated-authority", "base", ("operator",), keeps=True
)
"""Issue a mandate of authority for an agent, open mandates of AP2 for its payments, or the mandate that a treasury holder presents for one created payout."""

INSPECT_MANDATE: Operation[types.InspectMandateRequest, types.InspectMandateAnswer] = Operation(
    "inspect-mandate", "POST", "/api/delegated-authority", "base", ("agent", "operator",)
)
"""Check a mandate of authority or mandates of AP2: signature, state, constraints, and what remains. Uses nothing."""

ISSUE_ACTION_GRANT: Operation[types.IssueActionGrantRequest, types.IssueActionGrantAnswer] = Operation(
    "issue-action-grant", "POST", "/api/delegated-authority", "base", ("operator",), keeps=True
)
"""Issue a grant for one call that a mandate permits; it is used once, within 300 seconds."""

EVALUATE_ACTION: Operation[types.EvaluateActionRequest, types.EvaluateActionAnswer] = Operation(
    "evaluate-action", "POST", "/api/delegated-authority", "base", ("agent", "operator",)
)
"""Ask whether a mandate permits an action now; the decision is stored with its rules and a receipt."""

EXECUTE_DELEGATED_ACTION: Operation[types.ExecuteDelegatedActionRequest, types.ExecuteDelegatedActionAnswer] = Operation(
    "execute-delegated-action", "POST", "/api/delegated-authority", "base", ("agent",), keeps=True
)
"""Execute one action under a mandate and a grant; the answer carries the operation’s own result."""

REVOKE_MANDATE: Operation[types.RevokeMandateRequest, types.RevokeMandateAnswer] = Operation(
    "revoke-mandate", "POST", "/api/delegated-authority", "base", ("operator",)
)
"""Revoke a mandate with its unused grants; no action, payment or payout starts under it afterwards."""

AGENT_PRICING: Operation[types.AgentPricingRequest, types.AgentPricingAnswer] = Operation(
    "agent-pricing", "GET", "/api/agent-pricing", "base", ("public",)
)
"""What each rail costs by tier, its fee and its totals."""

AGENT_PRICING_QUOTE: Operation[types.AgentPricingQuoteRequest, types.AgentPricingQuoteAnswer] = Operation(
    "agent-pricing-quote", "POST", "/api/agent-pricing", "base", ("public",), keyed=True, keeps=True
)
"""Ask for a quote of a run that agents can buy, where its price is read."""

AGENT_QUOTE_READ: Operation[types.AgentQuoteReadRequest, types.AgentQuoteReadAnswer] = Operation(
    "agent-quote-read", "GET", "/api/agents/quote", "base", ("public",)
)
"""Read a quote, and whether it can still be paid."""

AGENT_QUOTE: Operation[types.AgentQuoteRequest, types.AgentQuoteAnswer] = Operation(
    "agent-quote", "POST", "/api/agents/quote", "base", ("agent", "status", "public",), signed=True, keyed=True, keeps=True
)
"""Ask for a quote of any rail that is sold."""

QUOTE_RUN: Operation[types.QuoteRunRequest, types.QuoteRunAnswer] = Operation(
    "quote-run", "POST", "/api/agent-use", "base", ("public",), keyed=True, keeps=True
)
"""Ask for a quote of a run that agents can buy."""

CREATE_PAYMENT_CHALLENGE: Operation[types.CreatePaymentChallengeRequest, types.CreatePaymentChallengeAnswer] = Operation(
    "create-payment-challenge", "POST", "/api/agent-use", "base", ("public",), keyed=True, keeps=True
)
"""Open the one payment challenge of a quote; answers 402 with the challenge and the accepted methods."""

PAYMENT_RAIL_READ: Operation[types.PaymentRailReadRequest, types.PaymentRailReadAnswer] = Operation(
    "payment-rail-read", "GET", "/api/agent-payment-rail", "base", ("agent", "status", "public",)
)
"""Read the ways of payment and who confirms each, or a payment reference of your own."""

PAYMENT_REFERENCE_CREATE: Operation[types.PaymentReferenceCreateRequest, types.PaymentReferenceCreateAnswer] = Operation(
    "payment-reference-create", "POST", "/api/agent-payment-rail", "base", ("agent", "status",), signed=True, keyed=True, keeps=True
)
"""Present a payment for a challenge, in any of the seven methods; nothing is funded before it is confirmed."""

PROVIDER_EVENT_RECEIVE: Operation[types.ProviderEventReceiveRequest, types.ProviderEventReceiveAnswer] = Operation(
    "provider-event-receive", "POST", "/api/agent-paid-callback-completion", "base", ("provider",), keeps=True
)
"""Receive a payment provider’s signed event; its amount has to be exactly the one that is owed."""

PAYMENT_AUTHORITY_READ: Operation[types.PaymentAuthorityReadRequest, types.PaymentAuthorityReadAnswer] = Operation(
    "payment-authority-read", "GET", "/api/payment-authority-layer", "base", ("agent", "public",)
)
"""Read the kinds of payment authority and what each rests on, or how one of your own stands now."""

PAYMENT_AUTHORITY_CHECK: Operation[types.PaymentAuthorityCheckRequest, types.PaymentAuthorityCheckAnswer] = Operation(
    "payment-authority-check", "POST", "/api/payment-authority-layer", "base", ("agent",), keyed=True, keeps=True
)
"""Ask whether a quote may be paid by a wallet, a provider’s session or a payment on chain; nothing is moved by it."""

RAIL_CHECKOUT_READ: Operation[types.RailCheckoutReadRequest, types.RailCheckoutReadAnswer] = Operation(
    "rail-checkout-read", "GET", "/api/agent-rail-checkout", "base", ("agent", "status", "public",)
)
"""Read what each rail and tier costs and where it is paid, or a payment challenge of your own."""

RAIL_CHECKOUT_OPEN: Operation[types.RailCheckoutOpenRequest, types.RailCheckoutOpenAnswer] = Operation(
    "rail-checkout-open", "POST", "/api/agent-rail-checkout", "base", ("public",), keyed=True, keeps=True
)
"""Open the checkout of a quote for a customer, by a hosted page, an invoice, credit or a reference."""

DILIGENCE_PRODUCT_LINKS: Operation[types.DiligenceProductLinksRequest, types.DiligenceProductLinksAnswer] = Operation(
    "diligence-product-links", "GET", "/api/diligenceops-payment-product-links", "base", ("public",)
)
"""Read where each tier of diligenceops is paid."""

PAYMENT_LINKS_READ: Operation[types.PaymentLinksReadRequest, types.PaymentLinksReadAnswer] = Operation(
    "payment-links-read", "GET", "/api/payment-link-configuration-sprint", "base", ("operator",)
)
"""Read which hosted pages are set, what the last look at each found, and how many are left."""

PAYMENT_LINKS_SET: Operation[types.PaymentLinksSetRequest, types.PaymentLinksSetAnswer] = Operation(
    "payment-links-set", "POST", "/api/payment-link-configuration-sprint", "base", ("operator",), keyed=True, keeps=True
)
"""Set the hosted page of a rail and tier at exactly the quote’s total, or remove it; the page is looked at once."""

AGENT_CREDIT_READ: Operation[types.AgentCreditReadRequest, types.AgentCreditReadAnswer] = Operation(
    "agent-credit-read", "GET", "/api/agents/credits/{entitlement_id}", "base", ("agent", "operator", "status",)
)
"""Read an entitlement: what is left of its credit, its postings and its receipts."""

AGENT_CREDIT_FUND: Operation[types.AgentCreditFundRequest, types.AgentCreditFundAnswer] = Operation(
    "agent-credit-fund", "POST", "/api/agents/credits/{entitlement_id}", "base", ("agent", "status",), signed=True, keyed=True, keeps=True
)
"""Fund an entitlement by a payment presented before, or by a new one."""

ALLOWANCE_WALLET_READ: Operation[types.AllowanceWalletReadRequest, types.AllowanceWalletReadAnswer] = Operation(
    "allowance-wallet-read", "GET", "/api/agent-allowance-wallet", "base", ("agent", "operator", "public",)
)
"""Read what an allowance wallet is and costs, or a wallet of your own with its balance, limits and postings."""

ALLOWANCE_WALLET_CREATE: Operation[types.AllowanceWalletCreateRequest, types.AllowanceWalletCreateAnswer] = Operation(
    "allowance-wallet-create", "POST", "/api/agent-allowance-wallet", "base", ("agent",), keyed=True, keeps=True
)
"""Create your allowance wallet, free of charge, with limits for a run, a day and the rails that it pays."""

ALLOWANCE_FUND: Operation[types.AllowanceFundRequest, types.AllowanceFundAnswer] = Operation(
    "allowance-fund", "POST", "/api/agent-allowance-wallet", "base", ("agent",), keyed=True, keeps=True
)
"""Pay into your allowance wallet by a payment presented before, or by a new one; it counts once it is confirmed."""

ALLOWANCE_LIMITS: Operation[types.AllowanceLimitsRequest, types.AllowanceLimitsAnswer] = Operation(
    "allowance-limits", "POST", "/api/agent-allowance-wallet", "base", ("agent", "operator",), keyed=True, keeps=True
)
"""Set limits of an allowance wallet: its agent narrows them, an operator may widen them."""

ALLOWANCE_TIER: Operation[types.AllowanceTierRequest, types.AllowanceTierAnswer] = Operation(
    "allowance-tier", "POST", "/api/agent-allowance-wallet", "base", ("agent",), keyed=True, keeps=True
)
"""Make your allowance wallet premium, which pays the fee of the month, or free again."""

CREDIT_BINDING_READ: Operation[types.CreditBindingReadRequest, types.CreditBindingReadAnswer] = Operation(
    "credit-binding-read", "GET", "/api/agent-credit-checkout-binding", "base", ("agent", "status", "public",)
)
"""Read how credit is bound to the challenge that pays for it, or a binding of your own."""

CREDIT_BINDING_CREATE: Operation[types.CreditBindingCreateRequest, types.CreditBindingCreateAnswer] = Operation(
    "credit-binding-create", "POST", "/api/agent-credit-checkout-binding", "base", ("agent", "status",), signed=True, keyed=True, keeps=True
)
"""Bind a challenge to the entitlement of its quote, so that its payment funds exactly that."""

COMMERCIAL_LAYER_READ: Operation[types.CommercialLayerReadRequest, types.CommercialLayerReadAnswer] = Operation(
    "commercial-layer-read", "GET", "/api/agent-commercial-layer", "base", ("agent", "public",)
)
"""Read the seven fee items with their amounts, the plans, and what you were charged."""

COMMERCIAL_FEES_ASSESS: Operation[types.CommercialFeesAssessRequest, types.CommercialFeesAssessAnswer] = Operation(
    "commercial-fees-assess", "POST", "/api/agent-commercial-layer", "base", ("public",), keyed=True, keeps=True
)
"""Compute the fees of a run, a quote or some items, or pay the month of a plan now."""

ENTERPRISE_CONTROLS_READ: Operation[types.EnterpriseControlsReadRequest, types.EnterpriseControlsReadAnswer] = Operation(
    "enterprise-controls-read", "GET", "/api/enterprise-controls", "base", ("agent", "operator", "public",)
)
"""Read which controls an account can have, where each is enforced, and your own."""

ENTERPRISE_CONTROLS_SET: Operation[types.EnterpriseControlsSetRequest, types.EnterpriseControlsSetAnswer] = Operation(
    "enterprise-controls-set", "POST", "/api/enterprise-controls", "base", ("agent", "operator",), keyed=True, keeps=True
)
"""Set controls of an account: its agent narrows them for a monthly fee, an operator may widen them."""

ENTERPRISE_WALLET_BIND: Operation[types.EnterpriseWalletBindRequest, types.EnterpriseWalletBindAnswer] = Operation(
    "enterprise-wallet-bind", "POST", "/api/enterprise-controls", "base", ("agent",), keyed=True, keeps=True
)
"""Bind a wallet to your account by its signature; its payouts then obey your controls."""

USAGE_LEDGER_READ: Operation[types.UsageLedgerReadRequest, types.UsageLedgerReadAnswer] = Operation(
    "usage-ledger-read", "GET", "/api/durable-usage-ledger", "base", ("agent", "status", "public",)
)
"""Read a sample of the usage ledger, or your own events, the newest first, with their postings and totals."""

USAGE_LEDGER_RECORD: Operation[types.UsageLedgerRecordRequest, types.UsageLedgerRecordAnswer] = Operation(
    "usage-ledger-record", "POST", "/api/durable-usage-ledger", "base", ("agent", "public",), keyed=True, keeps=True
)
"""Record a use in the hash-chained ledger; units of usd_credit consume the credit of an entitlement of your own."""

AGENT_REGISTER_READ: Operation[types.AgentRegisterReadRequest, types.AgentRegisterReadAnswer] = Operation(
    "agent-register-read", "GET", "/api/agents/register", "base", ("public",)
)
"""Read how an agent registers: the manifest’s schema, the policy rules, and how many agents stand where."""

AGENT_REGISTER: Operation[types.AgentRegisterRequest, types.AgentRegisterAnswer] = Operation(
    "agent-register", "POST", "/api/agents/register", "base", ("public",), keyed=True, keeps=True, recalls=True
)
"""Register an agent by its manifest; answers with its trust state, its status URL and a signed receipt."""

AGENT_STATUS: Operation[types.AgentStatusRequest, types.AgentStatusAnswer] = Operation(
    "agent-status", "GET", "/api/agents/status/{token}", "base", ("status",)
)
"""Read the subject of a status token: an agent’s trust, access key, orders, pilots and next steps, or the state of a task, order or pilot."""

HANDSHAKE_READ: Operation[types.HandshakeReadRequest, types.HandshakeReadAnswer] = Operation(
    "handshake-read", "GET", "/api/agents/handshake", "os", ("public",)
)
"""Read a fresh nonce and the text that a handshake signs."""

HANDSHAKE: Operation[types.HandshakeRequest, types.HandshakeAnswer] = Operation(
    "handshake", "POST", "/api/agents/handshake", "os", ("status",), keeps=True
)
"""Shake hands with the registered key: read the gateway’s state, and claim the access key once."""

CREDENTIAL_POLICY_READ: Operation[types.CredentialPolicyReadRequest, types.CredentialPolicyReadAnswer] = Operation(
    "credential-policy-read", "GET", "/api/credential-enforcement-middleware", "base", ("public",)
)
"""Read what each operation needs of its caller, the checks of an access key in their order, and the event of one check."""

CREDENTIAL_ENFORCE: Operation[types.CredentialEnforceRequest, types.CredentialEnforceAnswer] = Operation(
    "credential-enforce", "POST", "/api/credential-enforcement-middleware", "base", ("public",), examines=True, keyed=True, keeps=True
)
"""Ask whether the presented credential may call an operation, and all the reasons why not."""

AGENT_REGISTRY_LIST: Operation[types.AgentRegistryListRequest, types.AgentRegistryListAnswer] = Operation(
    "agent-registry-list", "GET", "/api/agent-registry", "base", ("public",)
)
"""Find trusted agents that publish a profile, by words, rail and capability."""

AGENT_REGISTRY_PROFILE: Operation[types.AgentRegistryProfileRequest, types.AgentRegistryProfileAnswer] = Operation(
    "agent-registry-profile", "POST", "/api/agent-registry", "base", ("agent",), keyed=True, keeps=True
)
"""Set the public profile of your agent, and publish or withdraw it."""

RESOLVER_READ: Operation[types.ResolverReadRequest, types.ResolverReadAnswer] = Operation(
    "resolver-read", "GET", "/api/service-resolver", "base", ("public",)
)
"""Read which services there are, the four ways to use the resolver, and its boundary."""

FIND_SERVICES: Operation[types.FindServicesRequest, types.FindServicesAnswer] = Operation(
    "find-services", "POST", "/api/service-resolver", "base", ("public",)
)
"""Find the services that fit a query or a task, the best first, with reasons."""

INSPECT_SERVICE: Operation[types.InspectServiceRequest, types.InspectServiceAnswer] = Operation(
    "inspect-service", "POST", "/api/service-resolver", "base", ("public",)
)
"""Inspect a service: what was checked, how risky its use is and whether it may be used. A candidate is stored for the decision of an operator."""

REQUEST_SERVICE_USE: Operation[types.RequestServiceUseRequest, types.RequestServiceUseAnswer] = Operation(
    "request-service-use", "POST", "/api/service-resolver", "base", ("public",), keyed=True, keeps=True
)
"""Ask to use a service for a task; the answer says how, and has a receipt."""

RUN_SERVICE: Operation[types.RunServiceRequest, types.RunServiceAnswer] = Operation(
    "run-service", "POST", "/api/service-resolver", "base", ("public",), keyed=True, keeps=True
)
"""Run a free tool of this service and get its recorded outcome with a receipt."""

SERVICE_SCOUT_READ: Operation[types.ServiceScoutReadRequest, types.ServiceScoutReadAnswer] = Operation(
    "service-scout-read", "GET", "/api/service-scout", "base", ("public",)
)
"""Rank the services that fit a task, and say why the others do not."""

SERVICE_SCOUT_RUN: Operation[types.ServiceScoutRunRequest, types.ServiceScoutRunAnswer] = Operation(
    "service-scout-run", "POST", "/api/service-scout", "base", ("public",), keyed=True, keeps=True
)
"""Rank the services that fit a task within constraints, with a signed receipt."""

AGENT_HARNESS_READ: Operation[types.AgentHarnessReadRequest, types.AgentHarnessReadAnswer] = Operation(
    "agent-harness-read", "GET", "/api/agent-to-agent-test-harness", "base", ("public",)
)
"""Read what the test of two agents plays, or how a test went, with its transcript."""

AGENT_HARNESS_RUN: Operation[types.AgentHarnessRunRequest, types.AgentHarnessRunAnswer] = Operation(
    "agent-harness-run", "POST", "/api/agent-to-agent-test-harness", "base", ("public",), keyed=True, keeps=True
)
"""Test the running service with two sandbox agents: discovery, tools, payment, run, package and receipts. While it runs the answer is 202: repeat the call with its key."""

EXTERNAL_INVOCATION_READ: Operation[types.ExternalInvocationReadRequest, types.ExternalInvocationReadAnswer] = Operation(
    "external-invocation-read", "GET", "/api/external-agent-invocation-test", "base", ("public",)
)
"""Read what the test of a foreign MCP client plays, or how a test went, with its transcript."""

EXTERNAL_INVOCATION_RUN: Operation[types.ExternalInvocationRunRequest, types.ExternalInvocationRunAnswer] = Operation(
    "external-invocation-run", "POST", "/api/external-agent-invocation-test", "base", ("public",), keyed=True, keeps=True
)
"""Test the running MCP endpoint as a client that knows nothing of it: descriptor, protocol, each free tool and refusals. While it runs the answer is 202: repeat the call with its key."""

EXTERNAL_AGENT_READ: Operation[types.ExternalAgentReadRequest, types.ExternalAgentReadAnswer] = Operation(
    "external-agent-read", "GET", "/api/external-agent-agent-test", "base", ("public",)
)
"""Read what the test of a handed-over pack plays, or how a test went, with its transcript."""

EXTERNAL_AGENT_RUN: Operation[types.ExternalAgentRunRequest, types.ExternalAgentRunAnswer] = Operation(
    "external-agent-run", "POST", "/api/external-agent-agent-test", "base", ("public",), keyed=True, keeps=True
)
"""Test that one sandbox agent can hand work to another and verify it; a counterpart is asked for its list of tools and for nothing else."""

CREDENTIAL_TEST_READ: Operation[types.CredentialTestReadRequest, types.CredentialTestReadAnswer] = Operation(
    "credential-test-read", "GET", "/api/credential-enforcement-agent-test", "base", ("public",)
)
"""Read the cases of the access key test with what each expects, or how a test went, with its transcript."""

CREDENTIAL_TEST_RUN: Operation[types.CredentialTestRunRequest, types.CredentialTestRunAnswer] = Operation(
    "credential-test-run", "POST", "/api/credential-enforcement-agent-test", "base", ("public",), keyed=True, keeps=True
)
"""Test the running service with access keys in ten states and uses: each opens what it should and nothing else."""

REGRESSION_READ: Operation[types.RegressionReadRequest, types.RegressionReadAnswer] = Operation(
    "regression-read", "GET", "/api/persistent-regression-store", "base", ("agent", "public",)
)
"""Read the newest reports of tests of this service, and your own as an agent, with the trend."""

REGRESSION_PERSIST: Operation[types.RegressionPersistRequest, types.RegressionPersistAnswer] = Operation(
    "regression-persist", "POST", "/api/persistent-regression-store", "base", ("agent", "operator",), keeps=True
)
"""Keep the report of a completed test, made of its stored transcript, with a receipt and what changed since the last one."""

REGRESSION_STORE: Operation[types.RegressionStoreRequest, types.RegressionStoreAnswer] = Operation(
    "regression-store", "POST", "/api/persistent-regression-store", "base", ("agent",), keyed=True, keeps=True
)
"""Keep a report of your own test, which only you read, and get what changed since your last one."""

SIGNING_VERSIONS_READ: Operation[types.SigningVersionsReadRequest, types.SigningVersionsReadAnswer] = Operation(
    "signing-versions-read", "GET", "/api/signing-secret-rotation", "base", ("public",)
)
"""List the versions of an agent’s signing key, or of the key with which the service signs agents’ statements."""

SIGNING_ROTATE: Operation[types.SigningRotateRequest, types.SigningRotateAnswer] = Operation(
    "signing-rotate", "POST", "/api/signing-secret-rotation", "base", ("agent", "operator",), keyed=True, keeps=True
)
"""Rotate an agent’s signing key or access key, or as an operator the keys of the service, with an overlap or revoking the old one at once."""

SIGNING_SIGN: Operation[types.SigningSignRequest, types.SigningSignAnswer] = Operation(
    "signing-sign", "POST", "/api/signing-secret-rotation", "base", ("agent", "operator",), keeps=True
)
"""Have the service sign that you state this content; never usable as a receipt."""

SIGNING_VERIFY: Operation[types.SigningVerifyRequest, types.SigningVerifyAnswer] = Operation(
    "signing-verify", "POST", "/api/signing-secret-rotation", "base", ("public",)
)
"""Verify a statement by the version of the key that signed it: the service’s, or an agent’s own."""

AGENT_USE_READ: Operation[types.AgentUseReadRequest, types.AgentUseReadAnswer] = Operation(
    "agent-use-read", "GET", "/api/agent-use", "base", ("agent", "status", "public",)
)
"""Read what agents can buy and run by themselves, or a run of your own."""

READ_AGENT_USE_PACK: Operation[types.ReadAgentUsePackRequest, types.ReadAgentUsePackAnswer] = Operation(
    "read-agent-use-pack", "POST", "/api/agent-use", "base", ("public",)
)
"""Read what agents can buy and run by themselves, in which order, with a body for each mode."""

START_AGENT_RUN: Operation[types.StartAgentRunRequest, types.StartAgentRunAnswer] = Operation(
    "start-agent-run", "POST", "/api/agent-use", "base", ("agent",), keyed=True, keeps=True
)
"""Start a paid run: create its task, contract, quote and challenge; the run continues once it is paid and reviewed."""

GET_RUN_STATUS: Operation[types.GetRunStatusRequest, types.GetRunStatusAnswer] = Operation(
    "get-run-status", "POST", "/api/agent-use", "base", ("agent", "status",)
)
"""Read a run of your own; with wait_ms the answer comes when it moves, at the latest after that time."""

FETCH_RETURN_PACKAGE: Operation[types.FetchReturnPackageRequest, types.FetchReturnPackageAnswer] = Operation(
    "fetch-return-package", "POST", "/api/agent-use", "base", ("agent", "status",)
)
"""Fetch the result of an attested run with its proof; include_files adds the texts of its files."""

RETURN_PACKAGE_READ: Operation[types.ReturnPackageReadRequest, types.ReturnPackageReadAnswer] = Operation(
    "return-package-read", "GET", "/api/agents/status/{token}/return-package", "base", ("status",)
)
"""Read the return package of a task by its status link, with its order, reviews, receipts and checks."""

RECORD_AGENT_USE_RECEIPT: Operation[types.RecordAgentUseReceiptRequest, types.RecordAgentUseReceiptAnswer] = Operation(
    "record-agent-use-receipt", "POST", "/api/agent-use", "base", ("agent",), keyed=True, keeps=True
)
"""Acknowledge a receipt of your run; one that is not accepted stops the task as disputed, or is a dispute of the closed task."""

READ_AGENT_USE_RUNS: Operation[types.ReadAgentUseRunsRequest, types.ReadAgentUseRunsAnswer] = Operation(
    "read-agent-use-runs", "POST", "/api/agent-use", "base", ("agent",)
)
"""List your runs, the newest first, with how many are in which state."""

SELF_SERVE_LOOP_READ: Operation[types.SelfServeLoopReadRequest, types.SelfServeLoopReadAnswer] = Operation(
    "self-serve-loop-read", "GET", "/api/agent-self-serve-rail-loop", "base", ("agent", "status", "public",)
)
"""Read how a run is submitted without help, or how far a run of your own meets what was agreed."""

SELF_SERVE_LOOP_SUBMIT: Operation[types.SelfServeLoopSubmitRequest, types.SelfServeLoopSubmitAnswer] = Operation(
    "self-serve-loop-submit", "POST", "/api/agent-self-serve-rail-loop", "base", ("agent", "status",), signed=True, keyed=True, keeps=True
)
"""Submit the input of an agreed run; the work begins by itself once credit, input and review are there."""

WALLET_RUN_READ: Operation[types.WalletRunReadRequest, types.WalletRunReadAnswer] = Operation(
    "wallet-run-read", "GET", "/api/wallet-bound-rail-run", "base", ("agent", "status", "public",)
)
"""Read how a run is paid from an allowance wallet, or such a run of your own with its order."""

WALLET_RUN_START: Operation[types.WalletRunStartRequest, types.WalletRunStartAnswer] = Operation(
    "wallet-run-start", "POST", "/api/wallet-bound-rail-run", "base", ("agent",), keyed=True, keeps=True
)
"""Start a run that your allowance wallet pays for; its order waits for a review."""

SAMPLE_RETURN_PACKAGES: Operation[types.SampleReturnPackagesRequest, types.SampleReturnPackagesAnswer] = Operation(
    "sample-return-packages", "GET", "/api/sample-return-packages", "base", ("public",)
)
"""Read the return package of each rail for its published input, marked as a sample."""

COMPLIANCE_SAMPLES_READ: Operation[types.ComplianceSamplesReadRequest, types.ComplianceSamplesReadAnswer] = Operation(
    "compliance-samples-read", "GET", "/api/compliance-evidence-samples", "base", ("public",)
)
"""List samples of compliance evidence, or read one with its input, package and proof."""

CLEARING_READ: Operation[types.ClearingReadRequest, types.ClearingReadAnswer] = Operation(
    "clearing-read", "GET", "/api/agent-run-clearing-spine", "base", ("agent", "status", "public",)
)
"""Read a sample of a clearing, or a clearing of yours by its id or, the newest, by its run."""

CLEARING_RUN: Operation[types.ClearingRunRequest, types.ClearingRunAnswer] = Operation(
    "clearing-run", "POST", "/api/agent-run-clearing-spine", "base", ("agent", "status",), signed=True, keyed=True, keeps=True
)
"""Clear a run of yours: its result, receipts, payment and scope, as they stand now, lead to a decision with a signed receipt."""

LOOPS_READ: Operation[types.LoopsReadRequest, types.LoopsReadAnswer] = Operation(
    "loops-read", "GET", "/api/controlled-operating-loops", "base", ("agent", "status", "public",)
)
"""Read the nine steps of the controlled loop with the runs at each of them now, or a run of your own with the digest that each step put out."""

LOOP_START: Operation[types.LoopStartRequest, types.LoopStartAnswer] = Operation(
    "loop-start", "POST", "/api/controlled-operating-loops", "base", ("agent",), keyed=True, keeps=True
)
"""Start a run of any current rail of the controlled loop; a free one needs neither a quote nor funding."""

PACKET_LOOP_READ: Operation[types.PacketLoopReadRequest, types.PacketLoopReadAnswer] = Operation(
    "packet-loop-read", "GET", "/api/packetops-manifest-loop", "base", ("agent", "status", "public",)
)
"""Read what the manifest of a packet says and which sections each kind of packet needs, or a packet run of your own with its manifest."""

PACKET_LOOP_START: Operation[types.PacketLoopStartRequest, types.PacketLoopStartAnswer] = Operation(
    "packet-loop-start", "POST", "/api/packetops-manifest-loop", "base", ("agent",), keyed=True, keeps=True
)
"""Start a packetops run, and get the manifest of what you sent at once; with manifest_only no content leaves you."""

DILIGENCE_LOOP_READ: Operation[types.DiligenceLoopReadRequest, types.DiligenceLoopReadAnswer] = Operation(
    "diligence-loop-read", "GET", "/api/diligenceops-product-to-proof-loop", "base", ("agent", "status", "public",)
)
"""Read the stages from product to proof with what is sold, or how far a diligenceops run of your own is, each stage with its record."""

DILIGENCE_LOOP_START: Operation[types.DiligenceLoopStartRequest, types.DiligenceLoopStartAnswer] = Operation(
    "diligence-loop-start", "POST", "/api/diligenceops-product-to-proof-loop", "base", ("agent",), keyed=True, keeps=True
)
"""Start a diligenceops run whose package is judged by a commerce proof as soon as it closes."""

LOOP_AUDIT_PACK: Operation[types.LoopAuditPackRequest, types.LoopAuditPackAnswer] = Operation(
    "loop-audit-pack", "GET", "/api/loop-decision-audit-pack", "base", ("operator",)
)
"""Read a signed pack of decisions with the loops, ledger heads and receipts that they are about."""

TOKENOPS_CONTROLLED_PILOT_READ: Operation[types.TokenopsControlledPilotReadRequest, types.TokenopsControlledPilotReadAnswer] = Operation(
    "tokenops-controlled-pilot-read", "GET", "/api/tokenops-controlled-pilot-execution", "base", ("agent", "status", "operator", "public",)
)
"""Read how a controlled pilot of tokenops is activated, or a pilot of your own with the result of each step."""

TOKENOPS_CONTROLLED_PILOT_RUN: Operation[types.TokenopsControlledPilotRunRequest, types.TokenopsControlledPilotRunAnswer] = Operation(
    "tokenops-controlled-pilot-run", "POST", "/api/tokenops-controlled-pilot-execution", "base", ("agent",), keyed=True, keeps=True
)
"""Activate a controlled pilot of tokenops by a chain of seven steps; it waits for its payment and for an operator."""

FINANCEOPS_CONTROLLED_PILOT_READ: Operation[types.FinanceopsControlledPilotReadRequest, types.FinanceopsControlledPilotReadAnswer] = Operation(
    "financeops-controlled-pilot-read", "GET", "/api/financeops-controlled-pilot-execution", "base", ("agent", "status", "operator", "public",)
)
"""Read how a controlled pilot of financeops is activated, or a pilot of your own with the result of each step."""

FINANCEOPS_CONTROLLED_PILOT_RUN: Operation[types.FinanceopsControlledPilotRunRequest, types.FinanceopsControlledPilotRunAnswer] = Operation(
    "financeops-controlled-pilot-run", "POST", "/api/financeops-controlled-pilot-execution", "base", ("agent",), keyed=True, keeps=True
)
"""Activate a controlled pilot of financeops by a chain of seven steps; it waits for its payment and for an operator."""

ENERGYOPS_CONTROLLED_PILOT_READ: Operation[types.EnergyopsControlledPilotReadRequest, types.EnergyopsControlledPilotReadAnswer] = Operation(
    "energyops-controlled-pilot-read", "GET", "/api/energyops-controlled-pilot-execution", "base", ("agent", "status", "operator", "public",)
)
"""Read how a controlled pilot of energyops is activated, or a pilot of your own with the result of each step."""

ENERGYOPS_CONTROLLED_PILOT_RUN: Operation[types.EnergyopsControlledPilotRunRequest, types.EnergyopsControlledPilotRunAnswer] = Operation(
    "energyops-controlled-pilot-run", "POST", "/api/energyops-controlled-pilot-execution", "base", ("agent",), keyed=True, keeps=True
)
"""Activate a controlled pilot of energyops by a chain of seven steps; it waits for its payment and for an operator."""

ENERGYOPS_RUNTIME_RUNS_READ: Operation[types.EnergyopsRuntimeRunsReadRequest, types.EnergyopsRuntimeRunsReadAnswer] = Operation(
    "energyops-runtime-runs-read", "GET", "/api/energyops-runtime-pilot-run", "base", ("operator",)
)
"""List the pilots of energyops, and those whose run may begin."""

ENERGYOPS_RUNTIME_RUN: Operation[types.EnergyopsRuntimeRunRequest, types.EnergyopsRuntimeRunAnswer] = Operation(
    "energyops-runtime-run", "POST", "/api/energyops-runtime-pilot-run", "base", ("operator",), keyed=True, keeps=True
)
"""Begin the run of a paid pilot of energyops, grant it its credit, or try the pilot out."""

FINANCEOPS_RUNTIME_RUNS_READ: Operation[types.FinanceopsRuntimeRunsReadRequest, types.FinanceopsRuntimeRunsReadAnswer] = Operation(
    "financeops-runtime-runs-read", "GET", "/api/financeops-mvp-runtime-run", "base", ("operator",)
)
"""List the pilots of financeops, and those whose run may begin."""

FINANCEOPS_RUNTIME_RUN: Operation[types.FinanceopsRuntimeRunRequest, types.FinanceopsRuntimeRunAnswer] = Operation(
    "financeops-runtime-run", "POST", "/api/financeops-mvp-runtime-run", "base", ("operator",), keyed=True, keeps=True
)
"""Begin the run of a paid pilot of financeops, grant it its credit, or try the pilot out."""

WRITE_GATE_READ: Operation[types.WriteGateReadRequest, types.WriteGateReadAnswer] = Operation(
    "write-gate-read", "GET", "/api/production-write-gate", "base", ("public",), examines=True
)
"""Read what the production write gate validates, which operations are behind it, what passed it so far, and the event of a write of yours."""

WRITE_GATE_VALIDATE: Operation[types.WriteGateValidateRequest, types.WriteGateValidateAnswer] = Operation(
    "write-gate-validate", "POST", "/api/production-write-gate", "base", ("public",), examines=True, keyed=True, keeps=True
)
"""Ask whether a production write with the presented access key would pass the gate, and which of its five checks fail. Nothing is executed and no money moves."""

PRODUCTION_RUNS_READ: Operation[types.ProductionRunsReadRequest, types.ProductionRunsReadAnswer] = Operation(
    "production-runs-read", "GET", "/api/customer-production-runs", "base", ("agent", "operator",)
)
"""List your production runs, the newest first, each with its customer account, order, payment, package, receipt and state."""

PRODUCTION_RUN_START: Operation[types.ProductionRunStartRequest, types.ProductionRunStartAnswer] = Operation(
    "production-run-start", "POST", "/api/customer-production-runs", "base", ("agent",), keyed=True, keeps=True
)
"""Start a paid production run for a customer account. It waits for its payment and for the review of its order."""

FIRST_PAID_RUN_READ: Operation[types.FirstPaidRunReadRequest, types.FirstPaidRunReadAnswer] = Operation(
    "first-paid-run-read", "GET", "/api/first-paid-production-run-execution", "base", ("agent", "operator", "public",)
)
"""Read the eight conditions of the first paid production run and whether any run met them, or such a run of your own with the record of each."""

FIRST_PAID_RUN_EXECUTE: Operation[types.FirstPaidRunExecuteRequest, types.FirstPaidRunExecuteAnswer] = Operation(
    "first-paid-run-execute", "POST", "/api/first-paid-production-run-execution", "base", ("agent",), keyed=True, keeps=True
)
"""Start a paid production run of packetops or diligenceops for a customer account. Its eight conditions are computed from its records when it closes."""

ACTIVATION_PATH_READ: Operation[types.ActivationPathReadRequest, types.ActivationPathReadAnswer] = Operation(
    "activation-path-read", "GET", "/api/customer-activation-path", "base", ("agent", "status", "public",)
)
"""Read the steps of a customer account to its first run, or how far an account of yours has come."""

ACTIVATION_START: Operation[types.ActivationStartRequest, types.ActivationStartAnswer] = Operation(
    "activation-start", "POST", "/api/customer-activation-path", "base", ("agent", "status",), signed=True, keyed=True, keeps=True
)
"""Begin to activate a customer account for a rail and tier."""

CUSTOMER_WORKFLOW_READ: Operation[types.CustomerWorkflowReadRequest, types.CustomerWorkflowReadAnswer] = Operation(
    "customer-workflow-read", "GET", "/api/customer-workflow-production", "base", ("agent", "operator",)
)
"""List your workflows, the newest first, each with what became of its firings; an operator reads all."""

CUSTOMER_WORKFLOW_CREATE: Operation[types.CustomerWorkflowCreateRequest, types.CustomerWorkflowCreateAnswer] = Operation(
    "customer-workflow-create", "POST", "/api/customer-workflow-production", "base", ("agent",), keyed=True, keeps=True
)
"""Create a workflow that starts a paid run for a customer account at each firing, once an operator has approved it."""

CUSTOMER_WORKFLOW_PAUSE: Operation[types.CustomerWorkflowPauseRequest, types.CustomerWorkflowPauseAnswer] = Operation(
    "customer-workflow-pause", "POST", "/api/customer-workflow-production", "base", ("agent",), keyed=True, keeps=True
)
"""Pause a workflow of your own; a firing while it is paused starts nothing and is recorded."""

CUSTOMER_WORKFLOW_RESUME: Operation[types.CustomerWorkflowResumeRequest, types.CustomerWorkflowResumeAnswer] = Operation(
    "customer-workflow-resume", "POST", "/api/customer-workflow-production", "base", ("agent",), keyed=True, keeps=True
)
"""Resume a paused workflow; its later firings use the access key and the accepted terms of this call."""

CUSTOMER_WORKFLOW_DELETE: Operation[types.CustomerWorkflowDeleteRequest, types.CustomerWorkflowDeleteAnswer] = Operation(
    "customer-workflow-delete", "POST", "/api/customer-workflow-production", "base", ("agent",), keyed=True, keeps=True
)
"""End a workflow of your own for good; its schedule is removed."""

CUSTOMER_WORKFLOW_RUN: Operation[types.CustomerWorkflowRunRequest, types.CustomerWorkflowRunAnswer] = Operation(
    "customer-workflow-run", "POST", "/api/customer-workflow-production", "base", ("agent",), keyed=True, keeps=True
)
"""Let an approved workflow of your own fire now; read what became of it in its firings."""

PILOT_INTAKE_READ: Operation[types.PilotIntakeReadRequest, types.PilotIntakeReadAnswer] = Operation(
    "pilot-intake-read", "GET", "/api/pilot-intake", "base", ("status", "public",)
)
"""Read what a pilot is asked for with, or your own pilot by its status token."""

PILOT_INTAKE_SUBMIT: Operation[types.PilotIntakeSubmitRequest, types.PilotIntakeSubmitAnswer] = Operation(
    "pilot-intake-submit", "POST", "/api/pilot-intake", "base", ("public",), keyed=True, keeps=True
)
"""Ask for a pilot of a rail; an operator decides about it, and nothing runs before."""

PILOT_CONVERSATION_READ: Operation[types.PilotConversationReadRequest, types.PilotConversationReadAnswer] = Operation(
    "pilot-conversation-read", "GET", "/api/pilot-conversation-tracker", "base", ("operator", "status",)
)
"""Read what was said about a pilot, the newest first, and what happens next."""

PILOT_CONVERSATION_ADD: Operation[types.PilotConversationAddRequest, types.PilotConversationAddAnswer] = Operation(
    "pilot-conversation-add", "POST", "/api/pilot-conversation-tracker", "base", ("operator", "status",), signed=True, keyed=True, keeps=True
)
"""Add to what is said about a pilot; decisions and next steps are the operator’s."""

PILOT_INVITE: Operation[types.PilotInviteRequest, types.PilotInviteAnswer] = Operation(
    "pilot-invite", "POST", "/api/first-pilot-outreach-pack", "base", ("operator",), keyed=True, keeps=True
)
"""Invite a client to a pilot; the invitation is answered by its token within its time."""

INVITATION_READ: Operation[types.InvitationReadRequest, types.InvitationReadAnswer] = Operation(
    "invitation-read", "GET", "/api/pilot-invitation-response-workflow", "base", ("status", "public",)
)
"""Read how an invitation to a pilot is answered, or your own one by its token."""

INVITATION_RESPOND: Operation[types.InvitationRespondRequest, types.InvitationRespondAnswer] = Operation(
    "invitation-respond", "POST", "/api/pilot-invitation-response-workflow", "base", ("status",), signed=True, keyed=True, keeps=True
)
"""Accept or decline an invitation to a pilot, or ask about it, by its token."""

FIRST_PILOT_READ: Operation[types.FirstPilotReadRequest, types.FirstPilotReadAnswer] = Operation(
    "first-pilot-read", "GET", "/api/first-pilot-run-execution", "base", ("agent", "status", "operator", "public",)
)
"""Read how the first run of a pilot is started, or a pilot with its run and conditions."""

FIRST_PILOT_RUN: Operation[types.FirstPilotRunRequest, types.FirstPilotRunAnswer] = Operation(
    "first-pilot-run", "POST", "/api/first-pilot-run-execution", "base", ("agent",), keyed=True, keeps=True
)
"""Start the first run of an activated pilot for its client. It waits for its payment and for the review of its order."""

OFFERS_READ: Operation[types.OffersReadRequest, types.OffersReadAnswer] = Operation(
    "offers-read", "GET", "/api/pilot-client-agent-offer-launch", "base", ("public",)
)
"""Read which pilots the agent of a client launches by itself, with their prices."""

OFFER_LAUNCH: Operation[types.OfferLaunchRequest, types.OfferLaunchAnswer] = Operation(
    "offer-launch", "POST", "/api/pilot-client-agent-offer-launch", "base", ("agent",), keyed=True, keeps=True
)
"""Launch an offered pilot: it is quoted, its checkout is open, and an operator reviews it."""

INPUT_UPLOAD: Operation[types.InputUploadRequest, types.InputUploadAnswer] = Operation(
    "input-upload", "PUT", "/api/agent-inputs/{sha256}", "base", ("agent",), streams=True
)
"""Upload a file under its SHA-256: rows up to 256 MB as CSV or JSON Lines; XLSX, PDF, DOCX, text or an image up to 32 MB."""

INPUT_READ: Operation[types.InputReadRequest, types.InputReadAnswer] = Operation(
    "input-read", "GET", "/api/agent-inputs/{sha256}", "base", ("agent",)
)
"""Read what is known of an uploaded file: its length, its type, and how long it is kept."""

CALLBACK_COMPLETION_READ: Operation[types.CallbackCompletionReadRequest, types.CallbackCompletionReadAnswer] = Operation(
    "callback-completion-read", "GET", "/api/agent-paid-callback-completion", "base", ("agent", "status", "public",)
)
"""Read what follows from a payment provider’s event, or how far a payment or run of your own has come."""

CALLBACK_EXAMPLES: Operation[types.CallbackExamplesRequest, types.CallbackExamplesAnswer] = Operation(
    "callback-examples", "GET", "/api/provider-callback-receiver-examples", "base", ("public",)
)
"""Read callbacks as this service signs them, receivers that verify them, and when a callback is tried again."""

CALLBACK_DEMO_RECEIVE: Operation[types.CallbackDemoReceiveRequest, types.CallbackDemoReceiveAnswer] = Operation(
    "callback-demo-receive", "POST", "/api/provider-callback-receiver-demo", "base", ("public",), streams=True
)
"""Take a callback of this service by its signature; a receiver can refuse the first attempts."""

CALLBACK_DEMO_READ: Operation[types.CallbackDemoReadRequest, types.CallbackDemoReadAnswer] = Operation(
    "callback-demo-read", "GET", "/api/provider-callback-receiver-demo", "base", ("public",)
)
"""Read what the demo receiver of a name took."""

PREFLIGHT: Operation[types.PreflightRequest, types.PreflightAnswer] = Operation(
    "preflight", "POST", "/api/agents/preflight", "os", ("agent", "status",), signed=True, keyed=True, keeps=True
)
"""Begin a task: what is to be run, on which input, is checked; answers with the task’s token."""

CONTRACT_PREPARE: Operation[types.ContractPrepareRequest, types.ContractPrepareAnswer] = Operation(
    "contract-prepare", "POST", "/api/agents/contracts", "os", ("agent", "status",), signed=True, keyed=True, keeps=True
)
"""Prepare the contract of a task that passed its preflight; answers with its terms and a signed receipt."""

CONTRACT_READ: Operation[types.ContractReadRequest, types.ContractReadAnswer] = Operation(
    "contract-read", "GET", "/api/agents/contracts/{contract_id}", "os", ("agent", "status", "operator",)
)
"""Read a contract: its terms, its state, and the run contract once that is sealed."""

CONTRACT_ACCEPT: Operation[types.ContractAcceptRequest, types.ContractAcceptAnswer] = Operation(
    "contract-accept", "POST", "/api/agents/contracts/{contract_id}", "os", ("agent", "status",), signed=True, keyed=True, keeps=True
)
"""Accept a contract with a signature over its id and the digest of its terms."""

TASK_LEDGER: Operation[types.TaskLedgerRequest, types.TaskLedgerAnswer] = Operation(
    "task-ledger", "GET", "/api/agents/tasks/{token}/ledger", "os", ("operator", "status",)
)
"""Read a task, its hash-chained ledger and the runtime records behind it."""

TASK_STEPS: Operation[types.TaskStepsRequest, types.TaskStepsAnswer] = Operation(
    "task-steps", "GET", "/api/agents/tasks/{token}/steps", "os", ("operator", "status",)
)
"""Read the steps of a run: when each began and ended, and what it put out."""

TASK_ATTESTATION: Operation[types.TaskAttestationRequest, types.TaskAttestationAnswer] = Operation(
    "task-attestation", "GET", "/api/agents/tasks/{token}/attestation", "os", ("operator", "status",)
)
"""Read the signed attestation of a task’s run, with its verification; of a task that failed, how it ended."""

TASK_EXCEPTIONS: Operation[types.TaskExceptionsRequest, types.TaskExceptionsAnswer] = Operation(
    "task-exceptions", "GET", "/api/agents/tasks/{token}/exceptions", "os", ("operator", "status",)
)
"""List what stopped a task, the oldest first, what it waits for now, and the call that resolves it."""

TASK_EXCEPTION_RAISE: Operation[types.TaskExceptionRaiseRequest, types.TaskExceptionRaiseAnswer] = Operation(
    "task-exception-raise", "POST", "/api/agents/tasks/{token}/exceptions", "os", ("operator", "status",), signed=True, keyed=True, keeps=True
)
"""Stop a task with an exception; it keeps the state that it comes back to."""

TASK_RECOVER: Operation[types.TaskRecoverRequest, types.TaskRecoverAnswer] = Operation(
    "task-recover", "POST", "/api/agents/tasks/{token}/recover", "os", ("operator", "status",), signed=True, keyed=True, keeps=True
)
"""Recover a stopped task, or supply the evidence that it waits for; 202 while an operator has to decide."""

TASK_PROPOSAL_DECLINE: Operation[types.TaskProposalDeclineRequest, types.TaskProposalDeclineAnswer] = Operation(
    "task-proposal-decline", "POST", "/api/agents/tasks/{token}/decline", "os", ("status",), signed=True, keyed=True, keeps=True
)
"""Decline the corrected input that an operator proposes for a task; the task stays stopped."""

TASK_REPLAY_PACKAGE: Operation[types.TaskReplayPackageRequest, types.TaskReplayPackageAnswer] = Operation(
    "task-replay-package", "GET", "/api/agents/tasks/{token}/replay-package", "os", ("operator", "status",)
)
"""Read a task as one signed file, with which any party can verify and repeat its work offline."""

TASK_REPLAY_PREPARE: Operation[types.TaskReplayPrepareRequest, types.TaskReplayPrepareAnswer] = Operation(
    "task-replay-prepare", "POST", "/api/agents/tasks/{token}/replay-package", "os", ("operator", "status",), signed=True, keyed=True, keeps=True
)
"""Prepare the replay of a stopped task; a recovery then brings it back to where it was."""

WORK_ORDERS_READ: Operation[types.WorkOrdersReadRequest, types.WorkOrdersReadAnswer] = Operation(
    "work-orders-read", "GET", "/api/work-orders", "base", ("agent", "status", "operator", "public",)
)
"""Read how a work order is sent, or a work order of your own; an operator reads any."""

WORK_ORDER_CREATE: Operation[types.WorkOrderCreateRequest, types.WorkOrderCreateAnswer] = Operation(
    "work-order-create", "POST", "/api/work-orders", "base", ("agent", "public",), keyed=True, keeps=True
)
"""Send a work order; it is queued with its runs and waits for a review."""

WORK_ORDER_CONSENT: Operation[types.WorkOrderConsentRequest, types.WorkOrderConsentAnswer] = Operation(
    "work-order-consent", "POST", "/api/work-orders/{work_order_id}/consent", "base", ("status",), signed=True, keyed=True, keeps=True
)
"""Accept the corrected input that an operator proposes for a run of an order; the run continues with it."""

WORK_ORDER_DECLINE: Operation[types.WorkOrderDeclineRequest, types.WorkOrderDeclineAnswer] = Operation(
    "work-order-decline", "POST", "/api/work-orders/{work_order_id}/decline", "base", ("status",), signed=True, keyed=True, keeps=True
)
"""Decline the corrected input that an operator proposes for a run of an order; the run stays stopped."""

EXCHANGE_READ: Operation[types.ExchangeReadRequest, types.ExchangeReadAnswer] = Operation(
    "exchange-read", "GET", "/api/work-order-exchange", "base", ("agent", "public",)
)
"""List the work orders that may be claimed, the newest first, and your own newest 25 claims."""

EXCHANGE_CLAIM: Operation[types.ExchangeClaimRequest, types.ExchangeClaimAnswer] = Operation(
    "exchange-claim", "POST", "/api/work-order-exchange", "base", ("agent",), keyed=True, keeps=True
)
"""Claim an approved work order; you alone may deliver it until the claim expires."""

EXCHANGE_DELIVER: Operation[types.ExchangeDeliverRequest, types.ExchangeDeliverAnswer] = Operation(
    "exchange-deliver", "POST", "/api/work-order-exchange", "base", ("agent",), keyed=True, keeps=True
)
"""Deliver a claimed work order. The validator of its rail decides whether it is taken, and an operator whether it becomes the result."""

EXCHANGE_RELEASE: Operation[types.ExchangeReleaseRequest, types.ExchangeReleaseAnswer] = Operation(
    "exchange-release", "POST", "/api/work-order-exchange", "base", ("agent",), keeps=True
)
"""Give a claimed work order back, so that another agent may claim it."""

LOOP_REVIEW_CONSOLE: Operation[types.LoopReviewConsoleRequest, types.LoopReviewConsoleAnswer] = Operation(
    "loop-review-console", "GET", "/api/loop-review-console", "base", ("operator",)
)
"""List what waits for an operator’s decision, with the decisions that are allowed."""

LOOP_REVIEW_RECORD: Operation[types.LoopReviewRecordRequest, types.LoopReviewRecordAnswer] = Operation(
    "loop-review-record", "POST", "/api/loop-review-console", "base", ("operator",), keyed=True, keeps=True
)
"""Decide about what waits; the decision is carried out at once and answers with a signed receipt."""

LOOP_REVIEW_RECORD_BATCH: Operation[types.LoopReviewRecordBatchRequest, types.LoopReviewRecordBatchAnswer] = Operation(
    "loop-review-record-batch", "POST", "/api/operator/reviews", "base", ("operator",)
)
"""Decide the same about several subjects of one kind with the same criteria, or only try it; each gets an outcome."""

HARDENING_READ: Operation[types.HardeningReadRequest, types.HardeningReadAnswer] = Operation(
    "hardening-read", "GET", "/api/os-security-hardening", "base", ("public",)
)
"""Read whether each control of the service is on, off or stale, as its registry, settings and records show it now."""

PAUSE_SET: Operation[types.PauseSetRequest, types.PauseSetAnswer] = Operation(
    "pause-set", "POST", "/api/os-security-hardening", "base", ("operator",), keyed=True, keeps=True
)
"""Pause or resume everything, the payout rail, one wallet, payout, rail or agent; answers with a signed receipt."""

RECONCILIATION: Operation[types.ReconciliationRequest, types.ReconciliationAnswer] = Operation(
    "reconciliation", "GET", "/api/operator/reconciliation", "base", ("operator",)
)
"""Read the signed daily statement, the last reconciliation, and the exceptions that are open, newest first."""

CLOSE_EXCEPTION: Operation[types.CloseExceptionRequest, types.CloseExceptionAnswer] = Operation(
    "close-exception", "POST", "/api/operator/reconciliation", "base", ("operator",), keyed=True, keeps=True
)
"""Close an exception of reconciliation with a reason; answers with a signed receipt. Nothing is repaired."""

OPERATORS_LIST: Operation[types.OperatorsListRequest, types.OperatorsListAnswer] = Operation(
    "operators-list", "GET", "/api/operator/credentials", "base", ("operator",)
)
"""List the credentials of operators; answers with a signed receipt."""

OPERATORS_REVOKE: Operation[types.OperatorsRevokeRequest, types.OperatorsRevokeAnswer] = Operation(
    "operators-revoke", "POST", "/api/operator/credentials", "base", ("operator",), keyed=True, keeps=True
)
"""Revoke an operator's credential; answers with a signed receipt."""

SESSION_OPEN: Operation[types.SessionOpenRequest, types.SessionOpenAnswer] = Operation(
    "session-open", "POST", "/api/operator/session", "base", ("operator",)
)
"""Sign in to the operator console with the credential of an operator."""

SESSION_READ: Operation[types.SessionReadRequest, types.SessionReadAnswer] = Operation(
    "session-read", "GET", "/api/operator/session", "base", ("operator",)
)
"""Read who is signed in to the operator console, and until when."""

SESSION_END: Operation[types.SessionEndRequest, types.SessionEndAnswer] = Operation(
    "session-end", "POST", "/api/operator/session/end", "base", ("operator",)
)
"""Sign out of the operator console, or end all sessions of an operator."""

INBOX: Operation[types.InboxRequest, types.InboxAnswer] = Operation(
    "inbox", "GET", "/api/operator/inbox", "base", ("operator",)
)
"""List everything that waits for a person: decisions, stopped work and differences."""

WORK_LIST: Operation[types.WorkListRequest, types.WorkListAnswer] = Operation(
    "work-list", "GET", "/api/operator/work", "base", ("operator",)
)
"""Search payouts and tasks by id, agent, wallet, reference, transaction or state."""

WORK_READ: Operation[types.WorkReadRequest, types.WorkReadAnswer] = Operation(
    "work-read", "GET", "/api/operator/work/{id}", "base", ("operator",)
)
"""Explain one payout or task: what it waits for, what happened, and what unblocks it."""

RECOVERY_ACT: Operation[types.RecoveryActRequest, types.RecoveryActAnswer] = Operation(
    "recovery-act", "POST", "/api/operator/work", "base", ("operator",)
)
"""Wake or recover stopped payouts and tasks, or only try it; each gets an outcome."""

MONEY: Operation[types.MoneyRequest, types.MoneyAnswer] = Operation(
    "money", "GET", "/api/operator/money", "base", ("operator",)
)
"""Read balances, the daily cap, credit, wallets, revenue, fees, statements, and what moved."""

PILOTS_LIST: Operation[types.PilotsListRequest, types.PilotsListAnswer] = Operation(
    "pilots-list", "GET", "/api/operator/pilots", "base", ("operator",)
)
"""List pilots of every source by rail, state, client or id, the newest first."""

AGENTS_LIST: Operation[types.AgentsListRequest, types.AgentsListAnswer] = Operation(
    "agents-list", "GET", "/api/operator/agents", "base", ("operator",)
)
"""Search agents by id, account, name or e-mail address, with their trust and access keys."""

AGENT_READ: Operation[types.AgentReadRequest, types.AgentReadAnswer] = Operation(
    "agent-read", "GET", "/api/operator/agents/{agent_id}", "base", ("operator",)
)
"""Read one agent: its trust and limits, access keys, signing keys, and past decisions."""

AGENT_LIMITS_SET: Operation[types.AgentLimitsSetRequest, types.AgentLimitsSetAnswer] = Operation(
    "agent-limits-set", "POST", "/api/operator/agent-limits", "base", ("operator",), keyed=True, keeps=True
)
"""Change the limits of a trusted agent from its next call and payment on; answers with a signed receipt."""

ACCESS_KEY_REVOKE: Operation[types.AccessKeyRevokeRequest, types.AccessKeyRevokeAnswer] = Operation(
    "access-key-revoke", "POST", "/api/operator/access-keys", "base", ("operator",), keyed=True, keeps=True
)
"""Revoke an agent's access key; answers with a signed receipt."""

PAUSES: Operation[types.PausesRequest, types.PausesAnswer] = Operation(
    "pauses", "GET", "/api/operator/pauses", "base", ("operator",)
)
"""Read what is paused now, by whom and why, and the latest changes."""

MANDATES_LIST: Operation[types.MandatesListRequest, types.MandatesListAnswer] = Operation(
    "mandates-list", "GET", "/api/operator/mandates", "base", ("operator",)
)
"""Search the mandates of agents and those for payouts, with what is used and left of each."""

MANDATE_READ: Operation[types.MandateReadRequest, types.MandateReadAnswer] = Operation(
    "mandate-read", "GET", "/api/operator/mandates/{mandate_id}", "base", ("operator",)
)
"""Read one mandate: its terms, what is left, and every decision, grant, action and charged firing."""

GRANTS_LIST: Operation[types.GrantsListRequest, types.GrantsListAnswer] = Operation(
    "grants-list", "GET", "/api/operator/action-grants", "base", ("operator",)
)
"""Search the grants of single actions, used and unused."""

DELEGATED_ACTIONS_LIST: Operation[types.DelegatedActionsListRequest, types.DelegatedActionsListAnswer] = Operation(
    "delegated-actions-list", "GET", "/api/operator/delegated-actions", "base", ("operator",)
)
"""Search delegated actions, each with its decision, the rules behind it and its receipt."""

KEY_RINGS: Operation[types.KeyRingsRequest, types.KeyRingsAnswer] = Operation(
    "key-rings", "GET", "/api/operator/key-rings", "base", ("operator",)
)
"""Read the rings of signing keys, the standing of each key, and the open rotations."""

KEYS_LIST: Operation[types.KeysListRequest, types.KeysListAnswer] = Operation(
    "keys-list", "GET", "/api/operator/keys", "base", ("operator",)
)
"""List every signing key of the service with its standing, and their rotations; answers with a signed receipt."""

KEYS_PUBLISH: Operation[types.KeysPublishRequest, types.KeysPublishAnswer] = Operation(
    "keys-publish", "POST", "/api/operator/keys", "base", ("operator",), keyed=True, keeps=True
)
"""Publish the keys that were added to the file of signing keys, and sign with them from then on."""

KEYS_RETIRE: Operation[types.KeysRetireRequest, types.KeysRetireAnswer] = Operation(
    "keys-retire", "POST", "/api/operator/keys", "base", ("operator",), keyed=True, keeps=True
)
"""End a signing key: what it signed up to now stays valid, and another key of its ring signs from now on."""

KEYS_REVOKE: Operation[types.KeysRevokeRequest, types.KeysRevokeAnswer] = Operation(
    "keys-revoke", "POST", "/api/operator/keys", "base", ("operator",), keyed=True, keeps=True
)
"""Revoke a stolen signing key: what it signed is refused, but for receipts that are on record."""

VERIFY_RECEIPT: Operation[types.VerifyReceiptRequest, types.VerifyReceiptAnswer] = Operation(
    "verify-receipt", "GET", "/api/verify-receipt", "base", ("public",)
)
"""Judge a receipt by its signature, its key, our record of it and its place in the log. Give exactly one of receipt_id, receipt and payload_sha256."""

LOG_INCLUSION: Operation[types.LogInclusionRequest, types.LogInclusionAnswer] = Operation(
    "log-inclusion", "GET", "/api/log/inclusion", "base", ("public",)
)
"""Prove that a receipt is in the transparency log, in its latest tree or in an earlier one."""

LOG_CONSISTENCY: Operation[types.LogConsistencyRequest, types.LogConsistencyAnswer] = Operation(
    "log-consistency", "GET", "/api/log/consistency", "base", ("public",)
)
"""Prove that a tree of the transparency log begins with all leaves of an earlier one."""

RECEIPT_BUNDLE: Operation[types.ReceiptBundleRequest, types.ReceiptBundleAnswer] = Operation(
    "receipt-bundle", "GET", "/api/receipts/{receipt_id}/bundle", "base", ("public",)
)
"""Fetch a receipt with all that proves it offline: its place in the log, a signed checkpoint and the keys. Accept: application/cose gives the COSE receipt."""

PASSPORT_ISSUE: Operation[types.PassportIssueRequest, types.PassportIssueAnswer] = Operation(
    "passport-issue", "POST", "/api/receipt-passport", "base", ("wallet",), keyed=True, keeps=True
)
"""Issue a signed passport for one free call of yours that succeeded, or one payment of yours that settled. Reuse the key when you repeat this call."""

PASSPORT_VERIFY: Operation[types.PassportVerifyRequest, types.PassportVerifyAnswer] = Operation(
    "passport-verify", "POST", "/api/receipt-passport", "base", ("wallet",), keeps=True
)
"""Verify a receipt passport of any wallet; an answer that it is not valid says why."""

PROOF_STORE: Operation[types.ProofStoreRequest, types.ProofStoreAnswer] = Operation(
    "proof-store", "POST", "/api/proof-inbox", "base", ("wallet",), keyed=True, keeps=True
)
"""Store a passport, a handoff pack or other evidence in your proof inbox. Reuse the key when you repeat this call."""

PROOF_LIST: Operation[types.ProofListRequest, types.ProofListAnswer] = Operation(
    "proof-list", "POST", "/api/proof-inbox", "base", ("wallet",), keeps=True
)
"""List the proofs in your inbox, newest first, without their contents."""

PROOF_RETRIEVE: Operation[types.ProofRetrieveRequest, types.ProofRetrieveAnswer] = Operation(
    "proof-retrieve", "POST", "/api/proof-inbox", "base", ("wallet",), keeps=True
)
"""Read a proof of your inbox with its content and the receipt of its inclusion."""

SCORECARD_COMPUTE: Operation[types.ScorecardComputeRequest, types.ScorecardComputeAnswer] = Operation(
    "scorecard-compute", "POST", "/api/agent-trust-scorecard", "base", ("wallet",), keeps=True
)
"""Compute your trust score from work that this service has on record and payments that the chain proves."""

HANDOFF_BUILD: Operation[types.HandoffBuildRequest, types.HandoffBuildAnswer] = Operation(
    "handoff-build", "POST", "/api/agent-to-agent-handoff-pack", "base", ("wallet",), keyed=True, keeps=True
)
"""Build a signed pack that hands a task over to another wallet, with what it may do. Reuse the key when you repeat this call."""

HANDOFF_VERIFY: Operation[types.HandoffVerifyRequest, types.HandoffVerifyAnswer] = Operation(
    "handoff-verify", "POST", "/api/agent-to-agent-handoff-pack", "base", ("wallet",), keeps=True
)
"""Verify a handoff pack: whether it is valid, expired and addressed to you, and what it permits."""

COMMERCE_PROOF_READ: Operation[types.CommerceProofReadRequest, types.CommerceProofReadAnswer] = Operation(
    "commerce-proof-read", "GET", "/api/agent-commerce-proof", "base", ("agent", "public",)
)
"""Read the schema, missions and rules of commerce proofs, or one proof: your own in full, a published one without what is private."""

COMMERCE_PROOF_EVALUATE: Operation[types.CommerceProofEvaluateRequest, types.CommerceProofEvaluateAnswer] = Operation(
    "commerce-proof-evaluate", "POST", "/api/agent-commerce-proof", "base", ("public",), keyed=True, keeps=True
)
"""Have a return package judged: digests, claims, evidence, payment, authority and duplicates lead to a decision with a passport, a signed receipt and a verification packet."""

ACTIVITY_FEED_READ: Operation[types.ActivityFeedReadRequest, types.ActivityFeedReadAnswer] = Operation(
    "activity-feed-read", "GET", "/api/commerce-activity-feed", "base", ("public",)
)
"""Read the verified activity that agents published, with their reliability, or why there is none."""

ACTIVITY_FEED_PUBLISH: Operation[types.ActivityFeedPublishRequest, types.ActivityFeedPublishAnswer] = Operation(
    "activity-feed-publish", "POST", "/api/commerce-activity-feed", "base", ("agent",), keyed=True, keeps=True
)
"""Publish a commerce proof of yours to the activity feed, or take it out with publication_consent false. The log needs some seconds for the receipt of a new proof; until then it is 409 not_publishable. Reuse the key when you repeat this call."""

MODEL_ANALYSIS_READ: Operation[types.ModelAnalysisReadRequest, types.ModelAnalysisReadAnswer] = Operation(
    "model-analysis-read", "GET", "/api/model-evidence-analysis", "base", ("agent", "public",)
)
"""Read the analysis of a published packet, made without a model, or an analysis of yours by its id."""

MODEL_ANALYSIS_RUN: Operation[types.ModelAnalysisRunRequest, types.ModelAnalysisRunAnswer] = Operation(
    "model-analysis-run", "POST", "/api/model-evidence-analysis", "base", ("public",), keeps=True
)
"""Have a compliance packet analysed by rules, and by a model where one is configured, with a proof, a receipt and a passport."""

MODEL_RELAY_READ: Operation[types.ModelRelayReadRequest, types.ModelRelayReadAnswer] = Operation(
    "model-relay-read", "GET", "/api/model-proof-relay", "base", ("public",)
)
"""Read how an analysis is bound to a ledger entry and a relay, on a published packet."""

MODEL_RELAY_RUN: Operation[types.ModelRelayRunRequest, types.ModelRelayRunAnswer] = Operation(
    "model-relay-run", "POST", "/api/model-proof-relay", "base", ("public",), keeps=True
)
"""Bind an analysis of this service, on record or made from a packet, to its passport, a ledger entry and a relay; without a body a published packet."""

FREE_PROOF_READ: Operation[types.FreeProofReadRequest, types.FreeProofReadAnswer] = Operation(
    "free-proof-read", "GET", "/api/free-proof-run", "base", ("public",)
)
"""Read a signed trial of a proof over a published packet."""

FREE_PROOF_RUN: Operation[types.FreeProofRunRequest, types.FreeProofRunAnswer] = Operation(
    "free-proof-run", "POST", "/api/free-proof-run", "base", ("public",), keeps=True
)
"""Have evidence analysed and proven by rules as a signed trial, without a model."""

AGENT_PASSPORT_READ: Operation[types.AgentPassportReadRequest, types.AgentPassportReadAnswer] = Operation(
    "agent-passport-read", "GET", "/api/agent-passport", "base", ("public",)
)
"""Read what the records say about an agent, as far as it publishes that, signed."""

AGENT_PASSPORT_VERIFY: Operation[types.AgentPassportVerifyRequest, types.AgentPassportVerifyAnswer] = Operation(
    "agent-passport-verify", "POST", "/api/agent-passport", "base", ("public",)
)
"""Verify a passport of an agent, and read which of its claims are others now."""

RECEIPT_COMPLETION_READ: Operation[types.ReceiptCompletionReadRequest, types.ReceiptCompletionReadAnswer] = Operation(
    "receipt-completion-read", "GET", "/api/provider-receipt-completion", "base", ("public",)
)
"""Read how the receipt of a movement is completed, as a sample."""

RECEIPT_COMPLETION_RUN: Operation[types.ReceiptCompletionRunRequest, types.ReceiptCompletionRunAnswer] = Operation(
    "receipt-completion-run", "POST", "/api/provider-receipt-completion", "base", ("public",), keeps=True
)
"""Complete the receipt of a movement: its passport says what provider and ledger confirm of a payment of yours, or that no payment of yours matches."""

INVESTOR_DEMO_READ: Operation[types.InvestorDemoReadRequest, types.InvestorDemoReadAnswer] = Operation(
    "investor-demo-read", "GET", "/api/investor-demo", "base", ("public",)
)
"""Read the tour of a proof, its relay and its ledger entry over a published packet."""

INVESTOR_DEMO_RUN: Operation[types.InvestorDemoRunRequest, types.InvestorDemoRunAnswer] = Operation(
    "investor-demo-run", "POST", "/api/investor-demo", "base", ("public",), keeps=True
)
"""Have a packet of yours, or else evidence, proven and relayed as a trial without a model; with neither, the published packet."""

INVESTOR_DEMO_DETAIL_READ: Operation[types.InvestorDemoDetailReadRequest, types.InvestorDemoDetailReadAnswer] = Operation(
    "investor-demo-detail-read", "GET", "/api/investor-demo-v2", "base", ("public",)
)
"""Read the same tour with its verification packet."""

INVESTOR_DEMO_DETAIL_RUN: Operation[types.InvestorDemoDetailRunRequest, types.InvestorDemoDetailRunAnswer] = Operation(
    "investor-demo-detail-run", "POST", "/api/investor-demo-v2", "base", ("public",), keeps=True
)
"""The same trial with its verification packet and the time of its steps."""

TRUST_LISTING_READ: Operation[types.TrustListingReadRequest, types.TrustListingReadAnswer] = Operation(
    "trust-listing-read", "GET", "/api/trust-listing-path", "base", ("agent", "operator", "public",)
)
"""Read how an agent is listed and what its badge costs, or one listing."""

CREATE_TRUST_LISTING: Operation[types.CreateTrustListingRequest, types.CreateTrustListingAnswer] = Operation(
    "create-trust-listing", "POST", "/api/trust-listing-path", "base", ("agent",), keyed=True, keeps=True
)
"""Ask to be listed, on verified receipts about you of operational work. It is shown once an operator approves it."""

QUOTE_TRUST_BADGE_FEE: Operation[types.QuoteTrustBadgeFeeRequest, types.QuoteTrustBadgeFeeAnswer] = Operation(
    "quote-trust-badge-fee", "POST", "/api/trust-listing-path", "base", ("agent",)
)
"""Ask what a badge of so many months costs for a listing of yours that is approved."""

CREATE_TRUST_BADGE_PLAN: Operation[types.CreateTrustBadgePlanRequest, types.CreateTrustBadgePlanAnswer] = Operation(
    "create-trust-badge-plan", "POST", "/api/trust-listing-path", "base", ("agent",)
)
"""Plan the badge of a quote, with the challenge that pays it."""

RECORD_TRUST_BADGE_FEE_EVENT: Operation[types.RecordTrustBadgeFeeEventRequest, types.RecordTrustBadgeFeeEventAnswer] = Operation(
    "record-trust-badge-fee-event", "POST", "/api/trust-listing-path", "base", ("agent", "operator",), keyed=True, keeps=True
)
"""Record that the fee of a badge was presented or is settled, or as an operator that it lapsed or was refunded."""

READ_TRUST_LISTINGS: Operation[types.ReadTrustListingsRequest, types.ReadTrustListingsAnswer] = Operation(
    "read-trust-listings", "POST", "/api/trust-listing-path", "base", ("agent", "operator", "public",)
)
"""List the approved listings, and your own, the newest first."""

SPRINT_READ: Operation[types.SprintReadRequest, types.SprintReadAnswer] = Operation(
    "sprint-read", "GET", "/api/live-prospect-sprint", "base", ("public",)
)
"""Read how far the sprint under way is: numbers only, counted from the records."""

READ_LIVE_PROSPECT_SPRINT: Operation[types.ReadLiveProspectSprintRequest, types.ReadLiveProspectSprintAnswer] = Operation(
    "read-live-prospect-sprint", "POST", "/api/live-prospect-sprint", "base", ("public",)
)
"""Read how far the sprint under way is: numbers only, counted from the records."""

CREATE_PROSPECT: Operation[types.CreateProspectRequest, types.CreateProspectAnswer] = Operation(
    "create-prospect", "POST", "/api/live-prospect-sprint", "base", ("operator",), keyed=True, keeps=True
)
"""Record a prospect, with the agent whose paid runs are those of it where that is known."""

RECORD_MESSAGE_SENT: Operation[types.RecordMessageSentRequest, types.RecordMessageSentAnswer] = Operation(
    "record-message-sent", "POST", "/api/live-prospect-sprint", "base", ("operator",), keyed=True, keeps=True
)
"""Record that a message was sent to a prospect, by its digest."""

UPDATE_PROSPECT_STATE: Operation[types.UpdateProspectStateRequest, types.UpdateProspectStateAnswer] = Operation(
    "update-prospect-state", "POST", "/api/live-prospect-sprint", "base", ("operator",), keyed=True, keeps=True
)
"""Move a prospect to its next state, or name its agent; the paid states only follow from payments and runs."""

READ_PROSPECTS: Operation[types.ReadProspectsRequest, types.ReadProspectsAnswer] = Operation(
    "read-prospects", "POST", "/api/live-prospect-sprint", "base", ("operator",)
)
"""List the prospects, the newest first, with their number by state."""

RECORD_SPRINT_SUMMARY: Operation[types.RecordSprintSummaryRequest, types.RecordSprintSummaryAnswer] = Operation(
    "record-sprint-summary", "POST", "/api/live-prospect-sprint", "base", ("operator",), keyed=True, keeps=True
)
"""Sign the numbers of the sprint with a note; with close the next sprint begins."""

PAID_NEXT_STEP_READ: Operation[types.PaidNextStepReadRequest, types.PaidNextStepReadAnswer] = Operation(
    "paid-next-step-read", "GET", "/api/paid-next-step-pack", "base", ("operator",)
)
"""List the prospects and pilots with an offer and those that have paid, with what shows it."""

PAID_NEXT_STEP_MARK: Operation[types.PaidNextStepMarkRequest, types.PaidNextStepMarkAnswer] = Operation(
    "paid-next-step-mark", "POST", "/api/paid-next-step-pack", "base", ("operator",), keyed=True, keeps=True
)
"""Offer a prospect or a pilot its paid next step after delivered work: a quote for its agent, with the challenge that pays it."""

OUTREACH_PACK: Operation[types.OutreachPackRequest, types.OutreachPackAnswer] = Operation(
    "outreach-pack", "GET", "/api/first-pilot-outreach-pack", "base", ("operator",)
)
"""Read what to write next to a prospect, or the messages of a rail with its prices and sample, and who is open."""

DIRECTORY_READ: Operation[types.DirectoryReadRequest, types.DirectoryReadAnswer] = Operation(
    "directory-read", "GET", "/api/directory-submission-execution", "base", ("public",)
)
"""Read where this service is submitted to, and with what result."""

DIRECTORY_SUBMIT: Operation[types.DirectorySubmitRequest, types.DirectorySubmitAnswer] = Operation(
    "directory-submit", "POST", "/api/directory-submission-execution", "base", ("operator",), keyed=True, keeps=True
)
"""Submit this service to a directory of the configuration, or with dry_run only prepare its document. Reuse the key when you repeat this call."""

HEALTHZ: Operation[types.HealthzRequest, types.HealthzAnswer] = Operation(
    "healthz", "GET", "/healthz", "both", ("public",)
)
"""Whether this process answers."""

READYZ: Operation[types.ReadyzRequest, types.ReadyzAnswer] = Operation(
    "readyz", "GET", "/readyz", "both", ("public",)
)
"""Whether each dependency is well; ?for=payouts asks for all that payouts need."""

OPENAPI: Operation[types.OpenapiRequest, types.OpenapiAnswer] = Operation(
    "openapi", "GET", "/openapi.json", "base", ("public",)
)
"""This document: every operation of both hosts as OpenAPI 3.1."""

AGENT_TOOLS: Operation[types.AgentToolsRequest, types.AgentToolsAnswer] = Operation(
    "agent-tools", "GET", "/agent-tools.json", "base", ("public",)
)
"""Everything that an agent can call here: tools, operations, rails, prices and payment."""

AGENT_CARD: Operation[types.AgentCardRequest, types.AgentCardAnswer] = Operation(
    "agent-card", "GET", "/.well-known/agent-card.json", "base", ("public",)
)
"""The signed A2A card: the rails that run as skills, and the interfaces that answer."""

AGENT_REGISTRATION: Operation[types.AgentRegistrationRequest, types.AgentRegistrationAnswer] = Operation(
    "agent-registration", "GET", "/.well-known/agent-registration.json", "base", ("public",)
)
"""The registration file of ERC-8004: the endpoints that answer, and the identity on chain."""

AGENTS_START_HERE: Operation[types.AgentsStartHereRequest, types.AgentsStartHereAnswer] = Operation(
    "agents-start-here", "GET", "/api/agents-start-here", "base", ("public",)
)
"""The calls from no agent to a first result, in order, with bodies that work."""

AGENT_QUICKSTART_READ: Operation[types.AgentQuickstartReadRequest, types.AgentQuickstartReadAnswer] = Operation(
    "agent-quickstart-read", "GET", "/api/agent-api-quickstart", "base", ("public",)
)
"""The rails of the quickstart, and the calls of a first run without an agent, also for curl."""

AGENT_QUICKSTART_RUN: Operation[types.AgentQuickstartRunRequest, types.AgentQuickstartRunAnswer] = Operation(
    "agent-quickstart-run", "POST", "/api/agent-api-quickstart", "base", ("public",), keyed=True, keeps=True
)
"""Start a sandbox run on a rail of the quickstart; the answer has the calls for an agent."""

AGENT_SANDBOX_READ: Operation[types.AgentSandboxReadRequest, types.AgentSandboxReadAnswer] = Operation(
    "agent-sandbox-read", "GET", "/api/agent-sandbox", "base", ("status", "public",)
)
"""Read what the sandbox takes, or how far the run of your status token is."""

AGENT_SANDBOX_RUN: Operation[types.AgentSandboxRunRequest, types.AgentSandboxRunAnswer] = Operation(
    "agent-sandbox-run", "POST", "/api/agent-sandbox", "base", ("public",), keyed=True, keeps=True
)
"""Start a synthetic run without an agent and without money, with a fault if you ask for one."""

MCP_DESCRIPTOR: Operation[types.McpDescriptorRequest, types.McpDescriptorAnswer] = Operation(
    "mcp-descriptor", "GET", "/.well-known/mcp.json", "base", ("public",)
)
"""Where MCP is served, in which versions, and what each tool needs and costs."""

JWKS: Operation[types.JwksRequest, types.JwksAnswer] = Operation(
    "jwks", "GET", "/.well-known/jwks.json", "base", ("public",)
)
"""Every public key of the service, with its purpose and status."""

AUTHORITY_KEY: Operation[types.AuthorityKeyRequest, types.AuthorityKeyAnswer] = Operation(
    "authority-key", "GET", "/.well-known/service-authority-key.json", "base", ("public",)
)
"""The key that signs mandates and challenges, and its earlier versions."""

TRUST_CONTRACT: Operation[types.TrustContractRequest, types.TrustContractAnswer] = Operation(
    "trust-contract", "GET", "/api/trust-contract", "base", ("public",)
)
"""What this service is and stands for: identity, keys, price, caps, wallet proof and typed data."""

SCHEMA_INDEX: Operation[types.SchemaIndexRequest, types.SchemaIndexAnswer] = Operation(
    "schema-index", "GET", "/schemas", "base", ("public",)
)
"""Every schema document with its version, its URL and the SHA-256 of its bytes."""

SCHEMA_READ: Operation[types.SchemaReadRequest, types.SchemaReadAnswer] = Operation(
    "schema-read", "GET", "/schemas/{schema_name}", "base", ("public",)
)
"""One schema document: JSON Schema 2020-12, whose $id is its URL."""
