"""Start-up of a process that is to speak NAS and NGAP: no shape is learnt in the middle of a storm.

About a second of CPU time the first time, a hundredth afterwards: what a process has learnt it keeps.
"""

from protocols.nas5g.messages import Snssai
from protocols.nas5g.warm import warm as warm_nas
from protocols.ngap.warm import warm as warm_ngap
from regstorm.records.scenario import Network


def warm_codecs(network: Network) -> None:
    """Checks the NAS codec against pycrate and learns the NGAP messages of this network."""
    warm_nas()
    warm_ngap((Snssai(network.sst, network.sd),))
