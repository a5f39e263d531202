/**
 * Decides which addresses the service's own requests may reach. A user chooses the URL of a webhook or a calendar source, so
 * without this check they could reach what only the service's machine reaches (server-side request forgery).
 */
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** `internal` is a network that the operator has allowed (OUTBOUND_NETWORKS). */
export type Reach = 'public' | 'internal' | 'refused';

/** Public by its range, but within Azure it is the platform's own service, with which machines fetch their configuration. */
const AZURE_PLATFORM = '168.63.129.16';
/** The only part of IPv6 that is assigned to public networks (RFC 4291 §2.4), which leaves out what ipaddr.js has no range for. */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3');

type Address = ipaddr.IPv4 | ipaddr.IPv6;
type Network = [Address, number];

/** IPv6 forms that contain an IPv4 address (mapped, NAT64, 6to4, Teredo) are ranges of their own, so they are not unicast. */
const isPublic = (address: Address): boolean =>
  address.range() === 'unicast' &&
  address.toString() !== AZURE_PLATFORM &&
  (address instanceof ipaddr.IPv4 || address.match(GLOBAL_UNICAST));

const isIn = (address: Address, [network, bits]: Network): boolean =>
  address instanceof ipaddr.IPv4
    ? network instanceof ipaddr.IPv4 && address.match(network, bits)
    : network instanceof ipaddr.IPv6 && address.match(network, bits);

/** Whether a text is a network in CIDR notation, as OUTBOUND_NETWORKS lists them. */
export const isNetwork = (text: string): boolean => ipaddr.isValidCIDR(text);

/** Makes the check. @param networks in CIDR notation, which may be reached besides public addresses */
export const createReach = (networks: readonly string[]): ((address: string) => Reach) => {
  const allowed: Network[] = networks.map((network) => ipaddr.parseCIDR(network));
  return (text) => {
    // What Node does not connect to as an address is none here: ipaddr.js reads 0177.0.0.1 too.
    if (!isIP(text) || !ipaddr.isValid(text)) return 'refused';
    // A mapped address (::ffff:127.0.0.1) leads to the IPv4 address that it contains.
    const address = ipaddr.process(text);
    if (allowed.some((network) => isIn(address, network))) return 'internal';
    return isPublic(address) ? 'public' : 'refused';
  };
};
