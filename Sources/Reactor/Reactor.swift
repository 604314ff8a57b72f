import CLibevent
