import SIP
