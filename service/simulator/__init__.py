"""A shop that does not exist, and the people who visit it."""

from service.simulator.shop import shop_record
from service.simulator.shop_visits import ShopSimulation

__all__ = ["ShopSimulation", "shop_record"]
