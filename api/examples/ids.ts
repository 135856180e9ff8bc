import { USDC } from '#domain/core/limits.ts'

/** The ids that every example names: one agent, its one run, one payout, and what belongs to them. */
export const ids = {
  agent: 'agt_d4f0bc5a29de06b510f9aa428f1eedba926012b591fef7a518e776a7c9bd1824',
  operator: '06e55b633481f7bb',
  credential: 'e265b6f564601a1f',
  payout: 'po_04dc4f3db0e1d5ced709482dc7b86ade6e16a0503c5cab4bc0d9e5ab539a7fc1',
  quote: 'qt_6327245c3a45d3d9ea72b70fbb671926e7b80f63d311bfd73dde876d5df02b26',
  challenge: 'ch_2dd00bd77e0222ced882665481a9c1d9f907309d16e05ed007a1ea63928477a9',
  binding: 'bd_2dd00bd77e0222ced882665481a9c1d9f907309d16e05ed007a1ea63928477a9',
  reference: 'pr_52367a6622b19f08825e915fad80c542ad4f4c34dbcebad9f5007994b3e39208',
  entitlement: 'en_5026d0b2736d006e0cc23b0f136522225e3d919bd16b6832e31ea5be5de67fb7',
  allowance: 'aw_32f09fa1e0d7bc30389024258d4f02ad7d67bf49575be54c00e7ceb333a8079f',
  task: 'task-0ebb429fa86d481c2630fac53db1c91cffed5d4d41d1021c179444eb67e7ee0b',
  run: 'run_acba25512100f80b56fc3ccd14c65be55d94800cda77585c5f41a887e398f9be',
  contract: 'ct_cc8321d6375c494d043fdd0260f21bc0ec51dacc9f6abb7f909cdcd3041b78bf',
  exception: 'ex_2104e56ef446302ca000d565b208f9f5b58b8d98585879da089b8940f50e40a0',
  recovery: 'rec_8c585378513f5f7a2e1456ee54042605fdb890392becefadd2ab180fd02fb341',
  pilot: 'pl_7d0a5f2c94c1e6b8a3f4d2e1c0b9a8f7e6d5c4b3a2f1e0d9c8b7a6f5e4d3c2b1',
  workOrder: 'wo_ffc40254ff5e3197e04b89de6642c3be95bee3aad4ee18077f9ff3dc58cfbe7b',
  returnPackage: 'rp_0f3cf2a1508f6cb518151b0b04bc8b63eedab53bccf683eed113eb4b9b3435f9',
  activation: 'av_7d51cc0ac2a0c0e4d15a5d0b7cbe1f4f2d5f3c0d8f6a91a3a8f3b8f0cf0b2d11',
  clearing: 'cl_5b0d1a4f0e6c5a2c0f7e9b0b8f5c1a3d2e4f60718293a4b5c6d7e8f90a1b2c3d',
  commerceProof: 'cp_6a1f0b8c44d2e0b1a86f5f1fd2c06a3a8f7f0ea6d0f8b5e0c9d2b7a41c3e5f60',
  replay: 'rpl_ac203c9843b5bd8c883e07039ff82820c94422010be6108bb82403ca25376a22',
  usageEvent: 'ue_3c96ccddcd142d119c0afd17f95ab8e8b8ec413847f28047bd97e211c331dfc9',
  audit: 'aud_b81f37a043a6f767e7c94d105f4bd31282f3ecc20680bb9d09bd93461cf4c863',
  act: 'act_6dc865f7-f945-456d-8ff1-b666302c5b6e',
  change: 'ctl_12ea12eace7d655f471ce55e34f89b1b77a3d9d05a445ca82877dd2235beaa51',
  delivery: 'cb_b4af39d5b65a14849e885a9d65f0efe4f4e689989689c28c16cfcb3a6e78db5a',
  decision: 'rd_86ae35d58a6aa3b5742df94ef9d7162219f0106a911ae1954c1f0604aaec805d',
  settlementReceipt: 'rc_965ccc258469f62c055f56a8e97d252c2af573e241026159c2bd15fbc1f70cc0',
  usageReceipt: 'rc_ca22c377b84d31145133a8db075c10fa2458302f2992877e4284a44ec43703fe',
} as const

/** Tokens and keys as they look; none of them opens anything. */
export const tokens = {
  agent: 'st_1PC8WineBrUQ-apCjx7tupJgErWR_velGOd2p8m9GCQ',
  task: 'tk_DrtCn6htSBwmMPrFPbHJHP_tXU1B0QIcF5RE62fn7gs',
  order: 'wt_Put-luWc5A-csaCJ2roHn9aZ9oZ6MPZjSvhXCWeyN1o',
  pilot: 'pt_2mGfXv1kqUeJ8rTzYwB0cLdHnQa5sVx7PoIu9EtRyWk',
  quote: 'qk_YyckXDpF09nqcrcPu2cZJue4D2PTEb_XPd6HbV3wKyY',
} as const

/** Addresses of the examples; `usdc` is the real contract of USDC on Base. */
export const addresses = {
  recipient: '0xfb6916095ca1df60bb79ce92ce3ea74c37c5d359',
  creator: '0xbc6bfd848ebd7819c9a82bf124d65e7f739d08e0',
  holder: '0x6e45386daeb0b86da1ac4c609001d1e973f90314',
  payoutWallet: '0x9a13a733f71b13797a8c266e5d75dc2437048997',
  usdc: USDC,
} as const

/** SHA-256 digests, each of the thing that it is named after. */
export const digests = {
  terms: '51d2361f4faea3bc8f9facdbc7d99abb555596a2e51f7b25fd3b41c93587e616',
  input: 'c96c6d5be8d08a12e7b5cdc1b207fa6b2430974c86803d8891675e76fd992c20',
  result: 'f6a214f7a5fcda0c2cee9660b7fc29f5649e3c68aad48e20e950137c98913a68',
  loop: '254637f72efcddb6a545bccbd0c3bb84e6393647deb5fd344de6584ccc1e743c',
  manifest: '05b3abf2579a5eb66403cd78be557fd860633a1fe2103c7642030defe32c657f',
  proof: 'c1cda26362828b69266512052b97cb3729e3b052e4ade47c0a1e3383defe73c7',
  evidence: 'ee8250fb76e094b34b471f13a73dbbe51d1ae142e9df59d7c0d31ec20f0a0a8e',
  criteria: '262d517bffd06484e2341b4a379c7f4fa4be9284a9a82631c03420953d60bd67',
  payload: '239f59ed55e737c77147cf55ad0c1b030b6d7ee748a7426952f9b852d5a935e5',
  ledger: 'fe14010b4fe83303852f0467c919ef9a7ca089b91e96e3aad7d426dd87079297',
  ledgerBefore: 'fc08a471e1e19485dae6df408de2a439d25ddacadf05b1186461abe010cdc993',
  request: '1f58b9145b24d108d7ac38887338b3ea3229833b9c1e418250343f907bfd1047',
  upload: '3d8126446dd011ec24b06be6043558a98ee5fcfec01b9eeab83077e1444c3a50',
} as const

/** Public keys of the agent: the one it signs with, the next one, and the one that its access key is sealed to. */
export const agentKeys = {
  signing: { kty: 'OKP', crv: 'Ed25519', x: '0ql2uWpgA5bJjWf86SsYNjF8JPmxPsVKP-HsuWi4Qig' },
  next: { kty: 'OKP', crv: 'Ed25519', x: 'xp9aDU69AmSUXmphCqvwT60nd76XK0TBvTTbEuPF3SY' },
  sealing: { kty: 'OKP', crv: 'X25519', x: 'gaoDLe1OoMEJw58hCemw49rCi_qBbYF_oqqeaALAoS4' },
} as const

export const BASE_URL = 'https://api.agent-rails.example'
export const OS_URL = 'https://os.agent-rails.example'
