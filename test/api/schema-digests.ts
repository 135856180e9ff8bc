/**
 * What is published under each name, with https://rails.example as the origin. A document that was released never changes: another
 * shape is another version, also pinned here. Until the first release an intended change is pinned again.
 */
export const schemaDigests: Record<string, string> = {
  'action-grant.v1.json': 'b9ae41cdac340bdbcfe6b4ccac5dc6efe9e39b3d203447a38619c87989b25bd1',
  'agent-manifest.v1.json': '9dca7c0870f15d3619eec5f313b3ad4187ab3838d9fce56a5dfca3c112e0ac5c',
  'ap2-checkout-mandate.v1.json':
    '653982654b54bd831ff652379ad47fe56464799dd5b375f54d54960153b8e399',
  'ap2-mandates-asked.v1.json': '8d3312e09f0b8ab0ba861b93f8b48c224b85490948a73228d36a0cf5335c6d09',
  'ap2-open-checkout-mandate.v1.json':
    'c28b475ba28082aa6432188ed2076e5c7d2b2589072989577ef17545888077fb',
  'ap2-open-payment-mandate.v1.json':
    '10c9289c2ff5d1ee64afec7213d910bc02942ce19e4605090c3ebdcbe6dc958c',
  'ap2-payment-mandate.v1.json': '184e45d3f776173b34d004a3dca3576116a30c2b516472f010553f774a64b3bb',
  'authority-mandate.v1.json': '7b74db4b0bddebff7762f3605d5560dce2f68e049bc51841c3018c0558d2d1ce',
  'callback-event.v1.json': 'c3622c7f3bf01bc155bc00c83288e2a95dfcba0f0105c91f2f748d5879fb03aa',
  'clearing.v1.json': 'abfae45237cb703c0e098fa2f60cf967fd4e1a989534f3745a76f197ec900417',
  'commerce-packet.v1.json': 'c9375de9993856ae1197ffbb0505167e8b2986facf23d4852f16c33e35968ab8',
  'commerce-proof.v1.json': '5c0c9ae7ee3ab315eeabc7edfe399f9b79afda7d8a2137ac43cdf464bf614ef5',
  'delegated-action.v1.json': '6d00bacdc3f962adf25443f71780bb5ce16dfddee2d6631906d0ca84a40adc29',
  'handoff-pack.v1.json': '6a46217d6ff6f1cf561ae80a180f879960571f3920f7321f4dfc785fad2b30c8',
  'passport.v1.json': '9e22a2a6724a5fd5c4584a59c66c054753b3cdc068b3c63a89a5f2d4c71bdf46',
  'problem.v1.json': '903ebccd8255e22bcfa1100274b191740bdc41644be6b647a17cd31fcd214ec8',
  'rail-input-contractops.v1.json':
    'fbbbd0ce9bcc6eb5efa0e60db0d3500269edc33aa33a32dc9221fec45e73cbaf',
  'rail-input-diligenceops.v1.json':
    'b348be656f07abeb1b354682fbbc9c85a9465701994444e8380a3023a8ae6a0c',
  'rail-input-distributionops.v1.json':
    '7224b8b5ff813438f6b0506fcdc003a801dfb57dd6c9b14bec6f306c52b2e4b1',
  'rail-input-energyops.v1.json':
    '6e7e7cac48ca3e2ea34e5f37780ee21abc61ce2e4cbb342eba946f5465ec8514',
  'rail-input-financeops.v1.json':
    '2123ed4fdb5bcacc3e7fbc128ed233f88e632ac21e12ede778abe961b0e2aa57',
  'rail-input-packetops.v1.json':
    '5eb20df07c1457d17051e68a53edb600ba544eea9902625dd62f4895a48a3d51',
  'rail-input-scout.v1.json': 'f0d6effaa70a5b29aaaaeb3e445a0141e4c6b1606377bcae54bde0426ebdfb9d',
  'rail-result-contractops.v1.json':
    '15905fb81e29626d8ca23070b9349cad480e960924f2543e287dca0232a7b667',
  'rail-result-diligenceops.v1.json':
    '91c788a91b47ba530cbe8608e11345a3fcf4f66c99e78605646e2f62f84b5dbd',
  'rail-result-distributionops.v1.json':
    '0e681cbaa1837d3f94e8c1a025a98457b2d5df72cb7dee9999d0fe15d6934ced',
  'rail-result-energyops.v1.json':
    'f4ac6cbd3a06e982c83c45227c4c7629812fd0c6bcad516c0b21a698d81d8290',
  'rail-result-financeops.v1.json':
    'f7dd46e44ec7937a5a7d12ac27818251867c82249c59b89bcf945bd52d0e0db6',
  'rail-result-packetops.v1.json':
    'c759f766cb4181413f69cbcb5d1834c3942831aa2ed758047bf630cebcb26a29',
  'rail-result-scout.v1.json': '19b61ad8c41158c81cf786b6365d9491cc286e923873bf6955cf9ca93c73c26e',
  'rail-result-tokenops.v1.json':
    'e98810c12d806c2b0d5a99e0687d3d4341a676d9e7e64815a5fc838361ba920f',
  'rail-input-tokenops.v1.json': 'f798d35a3deefecfddccdddea68713a40da58747a9f00af8fa734f48a276d95d',
  'receipt.v1.json': 'f93e6f4ffd88d17ec1be3919d9e380b808deb12f82331bbeb670ae7c09e6e294',
  'replay-package.v1.json': 'eb465eb6cd1ece200a1c68d9c253ebbf28a6bd5dc61ca9ef3ef84390aab8d996',
  'result-contract.v2.json': '294cf4612478c9407cb9708e0ea889d02b4633cc154fd970f292e3ded36bce6b',
  'return-package.v2.json': 'aaa006cc52d4d9499c9845a99f547cf69de3214ec4c6a51cbf20d75bab5c9fcf',
  'run-contract.v2.json': '7f2b0f8a056e480e2288d1afec3d514da119a3e07c4dcefaf64a6f9914d63d72',
  'verification-packet.v1.json': '340b40f81fa31b51b30b387c2412425367bb2fa7a107ff713b5daa9d3a3c643f',
}
